/** How each member of `T` is made from the others. */
export type Makers<T> = { readonly [K in keyof T]: (all: T) => T[K] }

/**
 * An object whose members are made when they are first asked for, each once; what is given is taken as it is. So only
 * what somebody uses is built, in whatever order that takes. Throws when a member needs itself to be made: such a port is
 * filled with a function that asks later.
 */
export function lazily<T extends object>(makers: Makers<T>, given: Partial<T> = {}): T {
  const made = new Map<keyof T, unknown>(Object.entries(given) as [keyof T, unknown][]) // Members of a Partial<T> are of T.
  const open: (keyof T)[] = []
  const all = {} as T // Every member is defined below.
  const memberOf = <K extends keyof T>(name: K): T[K] => {
    if (made.has(name)) return made.get(name) as T[K] // Stored under this name below, or given so.
    if (open.includes(name)) throw new Error(`circular: ${[...open, name].join(' -> ')}`)
    open.push(name)
    try {
      const member = makers[name](all)
      made.set(name, member)
      return member
    } finally {
      open.pop()
    }
  }
  const names = Object.keys(makers) as (keyof T)[] // The keys of Makers<T> are those of T.
  for (const name of names) Object.defineProperty(all, name, { enumerable: true, get: () => memberOf(name) })
  return all
}
