const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** The client's UUID, else a fresh one (decisions 10). */
export const requestIdOf = (header: unknown, fresh: () => string): string =>
  typeof header === 'string' && UUID.test(header) ? header.toLowerCase() : fresh()

/** `X-Fleet-Client` and its version: short printable text, else nothing (GW-016). */
export const clientText = (header: unknown): string | undefined =>
  typeof header === 'string' && /^[\x20-\x7e]{1,64}$/.test(header) ? header : undefined
