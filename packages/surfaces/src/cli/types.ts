/** The command line as data: what `apps/cli` needs of the catalogue, without a schema library. */
export interface CliTree {
  readonly families: readonly CliFamily[]
  readonly commands: Readonly<Record<string, CliCommand>>
  /** Every registered code: its safe text and what the caller should do. */
  readonly errors: Readonly<Record<string, CliError>>
  /** Every type of event that the feed publishes. */
  readonly events: readonly string[]
}

export interface CliFamily {
  /** First word of the command names. */
  readonly name: string
  readonly summary: string
  readonly commands: readonly string[]
}

export interface CliError {
  readonly status: number
  readonly message: string
  readonly retry: 'change' | 'repeat' | 'wait' | 'none'
}

export interface CliCommand {
  readonly name: string
  readonly summary: string
  readonly description?: string
  /** Who may call, as a sentence. */
  readonly access: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** From the origin on, with `{param}` for each path parameter. */
  readonly path: string
  readonly kind: 'json' | 'stream' | 'raw' | 'empty' | 'page' | 'browser'
  /** Bytes of a whole answer, where it has a limit of its own. */
  readonly maxAnswerBytes?: number
  /** A first creation answers 201, an exact repeat 200. */
  readonly creates: boolean
  readonly destructive: boolean
  /** Its steps can be watched while it works. */
  readonly watchable?: true
  /** Without this member being true it only reads. */
  readonly changesWith?: string
  readonly extension?: string
  /** Positional arguments in order. */
  readonly arguments: readonly CliField[]
  readonly options: readonly CliField[]
  readonly errors: readonly string[]
}

export type FieldType = 'integer' | 'number' | 'boolean' | 'string' | 'strings' | 'json'

export interface CliField {
  /** Name of the input member. */
  readonly member: string
  /** The same in the words of a command line: hyphens, and no `_id` where a name is taken too. */
  readonly name: string
  readonly type: FieldType
  readonly place: 'path' | 'query' | 'body' | 'either'
  readonly required: boolean
  /** JSON null is a value: `--no-NAME` sends it. */
  readonly nullable: boolean
  readonly description?: string
  /** Types of the members of an object, each of which may be given alone; empty where they are not declared. A list has none. */
  readonly members?: Readonly<Record<string, FieldType>>
  readonly choices?: readonly string[]
  readonly default?: unknown
  /** Bounds as a person reads them, such as `1 to 200`. */
  readonly limits?: string
  /** Family whose records this names; a name may be used instead of the id. */
  readonly refers?: string
  /** The same where another member says the family: the member `target_type` beside `target_id`. */
  readonly refersBy?: string
  /** How a value of several parts is written, such as `INSTANCE:ROUTE`. */
  readonly form?: string
  /** Never echoed. */
  readonly secret: boolean
  /** A secret option: it takes no value on the command line, it is asked for or read from standard input. */
  readonly asked?: true
}
