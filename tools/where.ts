// `npm run where NAME`: every path of an operation.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { catalogue, findOperation, LITERALS, type Operation } from '@fleet/contract'
import { mcpName } from '@fleet/surfaces'
import { isTest, readTree, type SourceFile } from './tree.ts'

/** Where one operation is declared, done, proven and offered. */
export interface Places {
  /** `path:line` of its declaration; undefined when it cannot be found, which is a fault of the tree. */
  readonly contract: string | undefined
  readonly handler: string | undefined
  /** The test beside the handler, then every other test that names the operation. */
  readonly tests: readonly string[]
  readonly docs: string
  readonly cli: string
  readonly http: string
  /** Undefined for an operation that is no tool (MCP-014). */
  readonly mcp: string | undefined
}

export function places(operation: Operation, tree: readonly SourceFile[]): Places {
  const { name, method, path } = operation
  const handler = handlerOf(name, tree)
  const stem = handler?.replace(/\.ts:\d+$/, '')
  const beside = tree.filter(({ path }) => path === `${stem}.test.ts` || path === `${stem}.machine.test.ts`)
  const named = new RegExp(`(?<![\\w:-])${name}(?![\\w:-])`)
  const naming = tree.filter((file) => isTest(file.path) && named.test(file.text)).map((file) => file.path)
  return {
    contract: find(tree, 'packages/contract/src/', [`name: '${name}'`]),
    handler,
    tests: [...new Set([...beside.map(({ path }) => path), ...naming])],
    docs: `docs/reference/operations.md#${name.replaceAll(':', '')}`,
    cli: `./fleet ${name}`,
    http: `${method} ${LITERALS.apiPrefix}${path}`,
    mcp: operation.tool === false ? undefined : mcpName(operation),
  }
}

/** `path:line` of the handler's own file, else of the file that makes several. */
const handlerOf = (name: string, tree: readonly SourceFile[]): string | undefined =>
  find(tree, 'packages/fleet/src/', [`Handler<'${name}'>`, `'${name}':`, `'${name}'`])

/** The first file below a folder that holds the first of the texts that any holds. Tests are left out. */
function find(tree: readonly SourceFile[], folder: string, texts: readonly string[]): string | undefined {
  const files = tree.filter(({ path }) => path.startsWith(folder) && !isTest(path))
  for (const text of texts) {
    const file = files.find((one) => one.text.includes(text))
    if (file) return `${file.path}:${file.lineAt(file.text.indexOf(text))}`
  }
  return undefined
}

/** Names near a mistyped one: those that share its family or its last word. */
const near = (name: string): readonly string[] => {
  const [family = '', ...rest] = name.split(/[:\-\s]/)
  return catalogue
    .map((operation) => operation.name)
    .filter(
      (known) =>
        known.startsWith(`${family}:`) || (rest.length > 0 && known.endsWith(`:${rest.at(-1) ?? ''}`)),
    )
}

function print(root: string, name: string): boolean {
  const operation = findOperation(name) ?? catalogue.find((one) => mcpName(one) === name)
  if (!operation) {
    console.error(
      `no operation ${name}${near(name)
        .map((known) => `\n  ${known}`)
        .join('')}`,
    )
    return false
  }
  const { tests, ...rest } = places(operation, readTree(root))
  for (const [what, place] of Object.entries(rest)) console.log(`${what.padEnd(9)} ${place ?? '-'}`)
  for (const path of tests) console.log(`${'test'.padEnd(9)} ${path}`)
  if (!existsSync(join(root, 'docs/reference/operations.md')))
    console.error('docs/reference is missing: npm run generate')
  return true
}

if (import.meta.main) {
  const [name] = process.argv.slice(2)
  if (name === undefined) console.error('usage: npm run where NAME, such as instance:create')
  process.exitCode = name !== undefined && print(resolve(import.meta.dirname, '..'), name) ? 0 : 1
}
