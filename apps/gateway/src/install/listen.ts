const EVERYWHERE = ['0.0.0.0', '[::]']

/** The value of FLEET_LISTEN that has the address too: what an operator has added stays. */
export function withListen(current: string | undefined, address: string, port: number): string {
  const own = `${address}:${port}`
  const parts = (current ?? '').split(',').map((part) => part.trim())
  const others = parts.filter((part) => part !== '')
  const covering = [own, ...EVERYWHERE.map((host) => `${host}:${port}`)]
  if (current !== undefined && others.some((part) => covering.includes(part))) return current
  return [own, ...others].join(',')
}
