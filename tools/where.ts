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
    contract: find(tree, 'packages/contract/src/', new RegExp(`name: '${name}'`)),
    handler,
    tests: [...new Set([...beside.map(({ path }) => path), ...naming])],
    docs: `docs/reference/operations.md#${name.replaceAll(':', '')}`,
    cli: `./fleet ${name}`,
    http: `${method} ${LITERALS.apiPrefix}${path}`,
    mcp: operation.tool === false ? undefined : mcpName(operation),
  }
}

/** `path:line` of the handler's own file: the one with its type, else the one that exports what makes it. */
function handlerOf(name: string, tree: readonly SourceFile[]): string | undefined {
  const folder = 'packages/fleet/src/'
  const typed = find(tree, folder, new RegExp(`Handler<[^<>]*'${name}'`))
  if (typed) return typed
  const entry = new RegExp(`'${name}': (?:(make\\w+)\\()?`)
  const entered = find(tree, folder, entry)
  const file = tree.find(({ path }) => entered?.startsWith(`${path}:`))
  const maker = file && entry.exec(file.text)?.[1]
  const domain = file?.path.split('/').slice(0, 4).join('/')
  const made = maker && find(tree, `${domain}/`, new RegExp(`export (?:const|function) ${maker}\\b`))
  return made ?? entered
}

/** The files whose names do not follow from an operation's: its own word for what several of them share. */
export const NAMED_OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  'broadcasting:show': ['authorize'],
  'instance:log-stream:close': ['instance-streams'],
  'instance:log-stream:open': ['instance-streams'],
  'instance:log-stream:renew': ['instance-streams'],
  'instance:logs': ['instance-read', 'read'],
  'node:firewall:allow': ['add'],
  'node:firewall:deny': ['add'],
  'node:firewall:live': ['inspect'],
  'node:firewall:managed': ['inspect'],
  'process:log-stream:close': ['process-streams'],
  'process:log-stream:open': ['process-streams'],
  'process:log-stream:renew': ['process-streams'],
}

/**
 * The names that the file of an operation may have. `cluster:router:set`: `router-set.ts`, `set.ts` in a folder of routers,
 * `routers.ts` or `sets.ts` for several operations together. The contract of a whole domain may be one `index.ts`.
 */
export function fileNames(name: string): readonly string[] {
  const [, ...words] = name.split(':')
  const [verb = '', noun] = words.toReversed()
  return [words.join('-'), verb, `${verb}s`, ...(noun === undefined ? [] : [`${noun}s`])]
}

/** The first file below a folder where a pattern is found. Tests are left out. */
function find(tree: readonly SourceFile[], folder: string, pattern: RegExp): string | undefined {
  for (const file of tree) {
    if (!file.path.startsWith(folder) || isTest(file.path)) continue
    const found = pattern.exec(file.text)
    if (found) return `${file.path}:${file.lineAt(found.index)}`
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
