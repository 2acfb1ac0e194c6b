import type { Operation } from '@fleet/contract'
import type { ErrorSpec } from '@fleet/kernel'
import { errorCodes, type ErrorRegistry } from '#/error-codes.ts'
import { anchor, page, table } from './markdown.ts'

/** `errors.md`: every code by family, with its status, text, what to do and which operations answer with it. */
export function errorsMarkdown(operations: readonly Operation[], registry: ErrorRegistry): string {
  const users = usersOf(operations)
  const byFamily = Map.groupBy(Object.entries(registry), ([code]) => code.split('.')[0] ?? '')
  const sections = [...byFamily]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([family, rows]) => [
      `## ${family}`,
      table(
        ['Code', 'Status', 'Meaning', 'What to do', 'Operations'],
        rows.map(([code, spec]) => row(code, spec, users)),
      ),
    ])
  return page([
    '# Error codes',
    'An error is `{error: {code, message, details?, request_id?}}`. Codes never change. This page is generated from the registry: `npm run generate`.',
    ...sections,
  ])
}

export const retryTexts = {
  change: 'Correct the request.',
  repeat: 'Repeat the same request.',
  wait: 'Wait, then repeat the same request.',
  none: 'Resolve the state that the message describes; repeating the request does not help.',
} as const satisfies Record<ErrorSpec['retry'], string>

const row = (
  code: string,
  { status, message, retry }: ErrorSpec,
  users: ReadonlyMap<string, readonly string[]>,
): readonly string[] => [
  `\`${code}\``,
  String(status),
  message,
  retryTexts[retry],
  userText(users.get(code) ?? []),
]

/** Above this many a list of names says less than their number. */
const NAMED_MAX = 6

const userText = (names: readonly string[]): string =>
  names.length > NAMED_MAX
    ? `${names.length} operations`
    : names.map((name) => `[\`${name}\`](operations.md#${anchor(name)})`).join(', ')

function usersOf(operations: readonly Operation[]): ReadonlyMap<string, readonly string[]> {
  const pairs = operations.flatMap((operation) =>
    errorCodes(operation).map((code) => ({ code, name: operation.name })),
  )
  return new Map(
    [...Map.groupBy(pairs, ({ code }) => code)].map(([code, found]) => [code, found.map(({ name }) => name)]),
  )
}
