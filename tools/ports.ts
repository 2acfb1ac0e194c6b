import type { Report, SourceFile } from './tree.ts'

const PORTS = /^packages\/fleet\/src\/.*\/ports\.ts$/

/** Counts what domains need from above themselves: each interface of a `ports.ts` is a line to fill in by hand. */
export function ports(tree: readonly SourceFile[]): Report {
  const files = tree.filter(({ path }) => PORTS.test(path))
  const counts = files.map((file) => ({ domain: domainOf(file), count: interfacesOf(file) }))
  const most = counts.toSorted((a, b) => b.count - a.count).slice(0, 3)
  return {
    seen: counts.reduce((sum, { count }) => sum + count, 0),
    unit: 'ports',
    problems: [],
    note: `most in ${most.map(({ domain, count }) => `${domain} ${count}`).join(', ')}`,
  }
}

const domainOf = ({ path }: SourceFile): string => path.split('/')[3] ?? path

const interfacesOf = ({ parsed }: SourceFile): number =>
  parsed.program.body.filter(
    (node) => node.type === 'ExportNamedDeclaration' && node.declaration?.type === 'TSInterfaceDeclaration',
  ).length
