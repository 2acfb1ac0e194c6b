import type { Place } from './places.ts'

/**
 * So many places by chance, each place as likely as any other, in random order. The same seed and places give the same
 * choice on every machine.
 */
export function choosePlaces(places: readonly Place[], count: number, seed: number): readonly Place[] {
  const random = generator(seed)
  const rest = [...places]
  const chosen: Place[] = []
  while (chosen.length < count && rest.length > 0)
    chosen.push(...rest.splice(Math.floor(random() * rest.length), 1))
  return chosen
}

/** Numbers from 0 to below 1 (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
