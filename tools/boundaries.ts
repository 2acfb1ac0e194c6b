import { dirname, join, relative, resolve } from 'node:path'
import { ABOVE_DOMAINS, ALLOWED, ALLOWED_TYPES, DOMAINS, FREE, RESTRICTED } from './layers.ts'
import type { Report, SourceFile } from './tree.ts'

export interface Edge {
  readonly file: string
  readonly specifier: string
  readonly line: number
  /** Whether it brings types alone, which are gone when the program runs. */
  readonly isType: boolean
}

/** Every import that the tables of layers.ts do not allow. */
export function boundaries(tree: readonly SourceFile[]): Report {
  const edges = tree.flatMap(importsOf)
  const problems = edges.flatMap((edge) => {
    const why = problem(edge)
    return why ? [`${edge.file}:${edge.line}  ${edge.specifier}  ${why}`] : []
  })
  return { seen: edges.length, unit: 'imports', problems: [...new Set(problems)] }
}

/** Static imports, re-exports and dynamic imports of a file; type imports count like any other. */
export function importsOf({ path, text, parsed, lineAt }: SourceFile): readonly Edge[] {
  const { module } = parsed
  const requests = [
    ...module.staticImports.map(({ moduleRequest, entries }) => ({
      ...moduleRequest,
      isType: entries.length > 0 && entries.every(({ isType }) => isType),
    })),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) => (moduleRequest ? { ...moduleRequest, isType } : [])),
    ),
  ]
  const dynamic = module.dynamicImports.map(({ moduleRequest: { start, end } }) => ({
    value: text.slice(start, end).replace(/^['"`]|['"`]$/g, ''),
    start,
    isType: false,
  }))
  return [...requests, ...dynamic].map(({ value, start, isType }) => ({
    file: path,
    specifier: value,
    line: lineAt(start),
    isType,
  }))
}

/** Why an edge is wrong, or undefined. Paths are relative to the root of the repository. */
export function problem({
  file,
  specifier,
  isType,
}: Pick<Edge, 'file' | 'specifier' | 'isType'>): string | undefined {
  const rule = RESTRICTED.find(({ module, only }) => module.test(specifier) && !only.test(file))
  if (rule) return rule.why
  if (FREE.some((folder) => file.startsWith(`${folder}/`))) return undefined
  const owner = Object.keys(ALLOWED).find((folder) => file.startsWith(`${folder}/`))
  if (owner === undefined) return 'this folder has no row in ALLOWED of tools/layers.ts'
  return packageProblem(owner, file, specifier, isType) ?? localProblem(owner, file, specifier)
}

function packageProblem(owner: string, file: string, specifier: string, isType: boolean): string | undefined {
  const name = /^@fleet\/([^/]+)/.exec(specifier)?.[1]
  if (name === undefined || (name === 'testing' && file.endsWith('.test.ts'))) return undefined
  if (ALLOWED[owner]?.includes(name) || (isType && ALLOWED_TYPES[owner]?.includes(name))) return undefined
  return `${owner} may import [${ALLOWED[owner]?.join(', ') ?? ''}]`
}

function localProblem(owner: string, file: string, specifier: string): string | undefined {
  const target = localTarget(owner, file, specifier)
  if (target === undefined) return undefined
  if (!target.startsWith(`${owner}/`)) return 'a relative import may not leave its package'
  return domainProblem(file, target)
}

function localTarget(owner: string, file: string, specifier: string): string | undefined {
  if (specifier.startsWith('#/')) return join(owner, 'src', specifier.slice(2))
  if (specifier.startsWith('.')) return relative('.', resolve(dirname(file), specifier))
  return undefined
}

const folderOf = (path: string): string | undefined => /^packages\/fleet\/src\/([^/]+)\//.exec(path)?.[1]
const isAbove = (folder: string | undefined): boolean => ABOVE_DOMAINS.some((name) => name === folder)

function domainProblem(file: string, target: string): string | undefined {
  const from = folderOf(file)
  const to = folderOf(target)
  if (!file.startsWith('packages/fleet/') || to === undefined || from === to) return undefined
  if (from === undefined) return isAbove(to) || target.endsWith('/ports.ts') ? undefined : apiOnly(to, target)
  if (isAbove(to)) return isLater(from, to) ? undefined : `${to} stands above all domains`
  return isAbove(from) ? apiOnly(to, target) : (orderProblem(from, to) ?? apiOnly(to, target))
}

const isLater = (from: string, to: string): boolean => {
  const order: readonly string[] = ABOVE_DOMAINS
  return order.indexOf(from) > order.indexOf(to)
}

function orderProblem(from: string, to: string): string | undefined {
  const order: readonly string[] = DOMAINS
  const stranger = [from, to].find((name) => !order.includes(name))
  if (stranger !== undefined) return `add the domain to DOMAINS of tools/layers.ts: ${stranger}`
  if (order.indexOf(to) < order.indexOf(from)) return undefined
  return `${from} is below ${to}; declare a port in ${from}/ports.ts instead`
}

const apiOnly = (to: string, target: string): string | undefined =>
  target.endsWith('/api.ts') ? undefined : `import ${to} through its api.ts`
