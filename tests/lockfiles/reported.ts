import { type Agreement, sorted } from './agreement.ts'
import type { Recorded } from './managers.ts'

interface NpmNode {
  readonly version?: string
  readonly resolved?: string
  readonly name?: string
  readonly dependencies?: Readonly<Record<string, NpmNode>>
}

/** What `npm ls --all --json` prints: a package that was printed before stands there without what it requires. */
export function reportedByNpm({ all, regular, files }: Recorded): Agreement {
  const names = aliasesOf(files['package-lock.json'] ?? '')
  const [whole, production] = [all, regular].map((text) => walkNpm(JSON.parse(text) as NpmNode, names)) // As npm prints it.
  const edges = whole?.edges ?? []
  return {
    packages: whole?.packages ?? [],
    regular: production?.packages ?? [],
    development: reachedFrom(fromRoot(developedIn(files['package.json'] ?? '')), edges),
    edges,
  }
}

/** Names that a project declares for development alone. */
function developedIn(manifest: string): readonly string[] {
  const { devDependencies, ...others } = JSON.parse(manifest) as Readonly<Record<string, object>> // As PROJECTS has it.
  const regular = { ...others['dependencies'], ...others['optionalDependencies'] }
  return Object.keys(devDependencies ?? {}).filter((name) => !Object.hasOwn(regular, name))
}

/** What these requirements of the root bring, by the edges that were reported. */
export function reachedFrom(isStart: (edge: string) => boolean, edges: readonly string[]): readonly string[] {
  const targetOf = (edge: string): string => edge.slice(edge.lastIndexOf(': ') + 2)
  const seen = new Set(edges.filter(isStart).map(targetOf))
  // A set is walked in the order of its entries, also those that are added on the way.
  for (const at of seen) for (const edge of edges) if (edge.startsWith(`${at} > `)) seen.add(targetOf(edge))
  return sorted(seen)
}

const fromRoot =
  (names: readonly string[]) =>
  (edge: string): boolean =>
    names.some((name) => edge.startsWith(`root > ${name}: `))

interface NpmEntry {
  readonly name?: string
  readonly version?: string
  readonly resolved?: string
}

/** npm prints the alias alone and where the package came from; one that came inside of another came from nowhere. */
function aliasesOf(lock: string): ReadonlyMap<string, string> {
  const { packages } = JSON.parse(lock) as { packages: Record<string, NpmEntry> } // As npm writes it.
  return new Map(
    Object.entries(packages).flatMap(([location, { name, version, resolved }]): [string, string][] =>
      name === undefined ? [] : [[resolved ?? `${location.split('node_modules/').at(-1)}@${version}`, name]],
    ),
  )
}

function walkNpm(root: NpmNode, names: ReadonlyMap<string, string>): Pick<Agreement, 'packages' | 'edges'> {
  const [packages, edges]: [string[], string[]] = [[], []]
  // Only the first of several prints of a package says where it came from, so its name is found by alias and version.
  const known = new Map<string, string>()
  const nodes: [string, NpmNode][] = [['', root]]
  for (const [, node] of nodes)
    for (const [name, one] of Object.entries(node.dependencies ?? {})) {
      const own = names.get(one.resolved ?? `${name}@${one.version}`)
      if (own !== undefined) known.set(`${name}@${one.version}`, `${own}@${one.version}`)
      nodes.push([name, one])
    }
  const label = (name: string, { version }: NpmNode): string =>
    known.get(`${name}@${version}`) ?? `${name}@${version}`
  for (const [from, node] of nodes)
    for (const [name, one] of Object.entries(node.dependencies ?? {})) {
      if (one.version === undefined) continue
      packages.push(label(name, one))
      edges.push(`${from === '' ? 'root' : label(from, node)} > ${name}: ${label(name, one)}`)
    }
  return { packages: sorted(packages), edges: sorted(edges) }
}

interface PnpmNode {
  readonly from: string
  readonly version: string
  readonly resolved?: string
  readonly dependencies?: Readonly<Record<string, PnpmNode>>
}

const SECTIONS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const
type PnpmProject = Readonly<Partial<Record<(typeof SECTIONS)[number], Record<string, PnpmNode>>>>

/** What `pnpm list --depth Infinity --json` prints. */
export function reportedByPnpm({ all, regular }: Recorded): Agreement {
  const [whole, production] = [all, regular].map(walkPnpm)
  const edges = whole?.edges ?? []
  return {
    packages: whole?.packages ?? [],
    regular: production?.packages ?? [],
    // A package that was printed before stands there without what it requires.
    development: reachedFrom(fromRoot(Object.keys(projectOf(all).devDependencies ?? {})), edges),
    edges,
  }
}

function projectOf(text: string): PnpmProject {
  const [project = {}] = JSON.parse(text) as PnpmProject[] // As pnpm prints it.
  return project
}

function walkPnpm(text: string): Pick<Agreement, 'packages' | 'edges'> {
  const project = projectOf(text)
  const [packages, edges]: [string[], string[]] = [[], []]
  const walk = (from: string, nodes: Readonly<Record<string, PnpmNode>> = {}): void => {
    for (const [name, node] of Object.entries(nodes)) {
      const label = `${node.from}@${node.version}`
      packages.push(label)
      edges.push(`${from} > ${name}: ${label}`)
      walk(label, node.dependencies)
    }
  }
  for (const section of SECTIONS) walk('root', project[section])
  return { packages: sorted(packages), edges: sorted(edges) }
}

/** `name@version` of what `bun pm ls --all` prints, aliases by their own name, without packages of other platforms. */
export const reportedByBun = ({ all }: Recorded): readonly string[] =>
  sorted([...all.matchAll(/^[│ ]*[├└]── (.+)$/gm)].map(([, label = '']) => label))

/**
 * `source > how words: target` of what `bun why '*'` prints, also of packages of other platforms: below each package who
 * requires it, how and with which words. An alias stands before its words; nothing stands for an empty specifier.
 */
export function edgesByBun({ why = '' }: Recorded): readonly string[] {
  const edges: string[] = []
  let target = ''
  for (const line of why.split('\n')) {
    const [, how = '', source, words = '*'] =
      /^ {2}[├└]─ ((?:optional |peer |dev )*)([^ ]+)(?: \(requires (.*)\))?$/.exec(line) ?? []
    if (/^\S/.test(line)) target = line
    else if (source !== undefined) edges.push(`${source} > ${how}${words}: ${target}`)
  }
  return sorted(edges)
}

/** `source > name: words` of what `composer depends` prints of packages by their own names and by those that they replace. */
export function edgesByComposer(printed: string): readonly string[] {
  const line = /^(\S+) +\S+ +requires +(\(for development\) +)?(\S+) \((.*)\) *$/gm
  return sorted(
    [...printed.matchAll(line)].map(
      ([, source = '', isDevelopment, name, words]) =>
        `${source.toLowerCase()} > ${isDevelopment ? 'dev ' : ''}${name}: ${words}`,
    ),
  )
}
