import {
  InsertQueryNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  type PrimitiveValueListNode,
  type Selectable,
  type UnknownRow,
  UpdateQueryNode,
  type ValueNode,
} from 'kysely'
import type { Tables } from '#/schema.ts'

type ObjectsOf<R> = { [C in keyof R & string]: Exclude<R[C], null> extends object ? C : never }[keyof R &
  string]
type JsonColumn = { [T in keyof Tables]: ObjectsOf<Selectable<Tables[T]>> }[keyof Tables]
type PlainColumn = {
  [T in keyof Tables]: Exclude<keyof Tables[T] & string, ObjectsOf<Selectable<Tables[T]>>>
}[keyof Tables]

/** Every JSON column, kept complete by the compiler; a name that means another kind of column elsewhere is refused. */
const JSON_COLUMNS = {
  accounts: true,
  removal: true,
  updating: true,
  defaults: true,
  profile: true,
  setup_done: true,
  deploy_steps: true,
  events: true,
  clone: true,
  transfer: true,
  copy: true,
  known_keys: true,
  pending_keys: true,
  retained_steps: true,
  file_hashes: true,
  environments: true,
  runtime_config: true,
  spec: true,
  properties: true,
  requested: true,
  next_values: true,
  previous_values: true,
  found: true,
  step_events: true,
  target_set: true,
  web_root_change: true,
  created_users: true,
} as const satisfies Readonly<Record<JsonColumn, true>> & Readonly<Partial<Record<PlainColumn, never>>>

const NAMES = Object.keys(JSON_COLUMNS)

/**
 * The edge at which JSON columns are text: values are written as JSON and parsed in every result. A column is known by its
 * name, so no query may select one under another name.
 */
export const jsonColumns: KyselyPlugin = {
  transformQuery: ({ node }) =>
    InsertQueryNode.is(node) || UpdateQueryNode.is(node) ? writer.transformNode(node) : node,
  transformResult: ({ result }) => {
    const [first] = result.rows
    const names = first === undefined ? [] : NAMES.filter((name) => name in first)
    return Promise.resolve(
      names.length === 0 ? result : { ...result, rows: result.rows.map((row) => parsed(row, names)) },
    )
  },
}

/** A value as a statement binds it. */
export const bindable = (value: unknown): unknown => (isJson(value) ? JSON.stringify(value) : value)

const isJson = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  // Other objects are the database's own: bytes, and the slots of a fixed query.
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}

class Writer extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return { ...node, value: bindable(node.value) }
  }
  protected override transformPrimitiveValueList(node: PrimitiveValueListNode): PrimitiveValueListNode {
    return { ...node, values: node.values.map(bindable) }
  }
}
const writer = new Writer()

function parsed(row: UnknownRow, names: readonly string[]): UnknownRow {
  const values = { ...row }
  for (const name of names) {
    const text = values[name]
    if (typeof text === 'string') values[name] = JSON.parse(text)
  }
  return values
}
