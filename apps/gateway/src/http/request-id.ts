// Any version and variant: what a client calls its UUID is found again under exactly that text.
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The client's UUID as it was sent, else a fresh one (decisions 10). */
export const requestIdOf = (header: unknown, fresh: () => string): string =>
  typeof header === 'string' && UUID.test(header) ? header : fresh()

/** `X-Fleet-Client` and its version: short printable text, else nothing (GW-016). */
export const clientText = (header: unknown): string | undefined =>
  typeof header === 'string' && /^[\x20-\x7e]{1,64}$/.test(header) ? header : undefined
