/** The low-level messages of `pg`, which its types describe for an older version. */
export interface Wire {
  query(text: string): void
  parse(message: { readonly name: string; readonly text: string; readonly types: readonly number[] }): void
  bind(message: {
    readonly portal: string
    readonly statement: string
    readonly values: readonly string[]
  }): void
  describe(message: { readonly type: 'P'; readonly name: string }): void
  close(message: { readonly type: 'S'; readonly name: string }): void
  execute(message: { readonly portal: string; readonly rows: number }): void
  flush(): void
  sync(): void
  sendCopyFail(reason: string): void
}

/** A column of a result, as RowDescription has it. */
export interface PostgresField {
  readonly name: string
  readonly typeId: number
}

export type PostgresRow = readonly (string | null)[]

export interface RowHandler {
  fields(fields: readonly PostgresField[]): void
  row(row: PostgresRow): void
}

/** What one exchange with the server is: messages out, and what comes back until it is ready again. */
export interface ExchangeOptions {
  /** Sends the messages; they must end with Query or Sync. */
  readonly send: (wire: Wire) => void
  readonly onFields?: (fields: readonly PostgresField[]) => void
  readonly onRow?: (row: PostgresRow) => void
  /** Called after each statement of the exchange. */
  readonly onComplete?: () => void
}

/** An error of the server; its text stays in `cause` of what is thrown on, and out of every answer. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly sqlState: string
  readonly position: number | undefined
  constructor(cause: Error & { readonly code?: unknown; readonly position?: unknown }) {
    super('the server answered with an error', { cause })
    this.sqlState = typeof cause.code === 'string' ? cause.code : 'XX000'
    this.position = typeof cause.position === 'string' ? Number(cause.position) : undefined
  }
}

interface FieldMessage {
  readonly fields: ReadonlyArray<{ readonly name: string; readonly dataTypeID: number }>
}

/** feature_not_supported: rows of COPY come and go by another protocol than results. */
const COPY_UNSUPPORTED = '0A000'

/** What `pg` calls of a query of one's own. */
export class Exchange {
  readonly done: Promise<string>
  readonly #options: ExchangeOptions
  readonly #settle: { readonly resolve: (tag: string) => void; readonly reject: (error: unknown) => void }
  #tag = ''
  #error: unknown

  constructor(options: ExchangeOptions) {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    this.done = promise
    this.#options = options
    this.#settle = { resolve, reject }
  }

  /** `pg` refuses an exchange with a name or a text of another type than its own. */
  submit(connection: unknown): undefined {
    this.#options.send(connection as Wire) // as: what pg 8.23.1 passes, pinned by the lock file.
  }
  handleRowDescription({ fields }: FieldMessage): void {
    this.#options.onFields?.(fields.map(({ name, dataTypeID }) => ({ name, typeId: dataTypeID })))
  }
  handleDataRow({ fields }: { readonly fields: PostgresRow }): void {
    this.#options.onRow?.(fields)
  }
  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#tag = text
    this.#options.onComplete?.()
  }
  handlePortalSuspended(): void {
    this.#tag = 'SUSPENDED'
  }
  handleEmptyQuery(): void {
    this.#tag = ''
  }
  handleCopyInResponse(connection: unknown): void {
    this.#error ??= copyUnsupported()
    // as: the same object as in submit. A statement that wants a file sent gets none.
    ;(connection as Wire).sendCopyFail('no data')
  }
  handleCopyData(): void {
    this.#error ??= copyUnsupported()
  }
  handleError(error: Error): void {
    if (this.#error !== undefined) this.#settle.reject(this.#error)
    // Errors of a broken stream have codes too, but only the server says how severe one is.
    this.#settle.reject('severity' in error ? new ServerError(error) : error)
  }
  handleReadyForQuery(): void {
    if (this.#error === undefined) this.#settle.resolve(this.#tag)
    else this.#settle.reject(this.#error)
  }
}

const copyUnsupported = (): ServerError =>
  new ServerError(Object.assign(new Error('copy'), { code: COPY_UNSUPPORTED }))

/** One statement of ours by the extended protocol, whose rows may be left. */
export function runText(wire: Wire, text: string): void {
  wire.parse({ name: '', text, types: [] })
  wire.bind({ portal: '', statement: '', values: [] })
  wire.execute({ portal: '', rows: 0 })
}
