import { covers, placeOf } from '#/listen-place.ts'

/** The value of FLEET_LISTEN that has the address too: what an operator has added stays. */
export function withListen(current: string | undefined, address: string, port: number): string {
  const parts = (current ?? '').split(',').map((part) => part.trim())
  const others = parts.filter((part) => part !== '')
  const isCovered = others
    .map(placeOf)
    .some((place) => typeof place !== 'string' && covers(place, { address, port }))
  return isCovered && current !== undefined ? current : [`${address}:${port}`, ...others].join(',')
}
