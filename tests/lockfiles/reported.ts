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
  return { packages: whole?.packages ?? [], regular: production?.packages ?? [], edges: whole?.edges ?? [] }
}

/** npm prints the alias alone, and where the package came from. */
function aliasesOf(lock: string): ReadonlyMap<string, string> {
  const { packages } = JSON.parse(lock) as { packages: Record<string, { name?: string; resolved?: string }> } // As npm writes it.
  return new Map(
    Object.values(packages).flatMap(({ name, resolved }): [string, string][] =>
      name !== undefined && resolved !== undefined ? [[resolved, name]] : [],
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
      const own = names.get(one.resolved ?? '')
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

type PnpmProject = Readonly<
  Partial<Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, PnpmNode>>>
>

/** What `pnpm list --depth Infinity --json` prints. */
export function reportedByPnpm({ all, regular }: Recorded): Agreement {
  const [whole, production] = [all, regular].map(walkPnpm)
  return { packages: whole?.packages ?? [], regular: production?.packages ?? [], edges: whole?.edges ?? [] }
}

function walkPnpm(text: string): Pick<Agreement, 'packages' | 'edges'> {
  const [project = {}] = JSON.parse(text) as PnpmProject[] // As pnpm prints it.
  const [packages, edges]: [string[], string[]] = [[], []]
  const walk = (from: string, nodes: Readonly<Record<string, PnpmNode>> = {}): void => {
    for (const [name, node] of Object.entries(nodes)) {
      const label = `${node.from}@${node.version}`
      packages.push(label)
      edges.push(`${from} > ${name}: ${label}`)
      walk(label, node.dependencies)
    }
  }
  for (const section of ['dependencies', 'devDependencies', 'optionalDependencies'] as const)
    walk('root', project[section])
  return { packages: sorted(packages), edges: sorted(edges) }
}

/** `name@version` of what `bun pm ls --all` prints, aliases by their own name, without packages of other platforms. */
export const reportedByBun = ({ all }: Recorded): readonly string[] =>
  sorted([...all.matchAll(/^[│ ]*[├└]── (.+)$/gm)].map(([, label = '']) => label))
