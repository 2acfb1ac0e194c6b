/** Status and JSON of an answer of the HTTP API. */
export interface ApiAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

export const refusal = (status: number, error: string): ApiAnswer => ({ status, body: { error } })
