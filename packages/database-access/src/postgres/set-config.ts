/** Settings of the server by their names. No value has a quote or a backslash. */
export type Settings = Readonly<Record<string, string>>

/** Statements for the simple protocol. */
export const asStatements = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `set ${name} = '${value}';`)
    .join(' ')

/** Expressions that set them, for one statement that does more; `isLocal` until the transaction ends. */
export const asExpressions = (settings: Settings, isLocal = false): string =>
  Object.entries(settings)
    .map(([name, value]) => `pg_catalog.set_config('${name}', '${value}', ${isLocal})`)
    .join(', ')
