import type { Declared, Manifest } from './manifest.ts'

/** Runtimes that package.json asks pnpm to download: it locks them like dependencies, `node` as `runtime:^24`. */
export function runtimesOf({ fields }: Manifest): readonly Declared[] {
  return [
    ...requirementsOf(fields['engines'], 'regular'),
    ...requirementsOf(fields['devEngines'], 'development'),
  ]
}

function requirementsOf(engines: unknown, scope: Declared['scope']): readonly Declared[] {
  const runtime = membersOf(engines)['runtime']
  return (Array.isArray(runtime) ? runtime : [runtime]).flatMap((one: unknown): Declared[] => {
    const { name, version, onFail } = membersOf(one)
    if (typeof name !== 'string' || typeof version !== 'string' || onFail !== 'download') return []
    return [{ name, constraint: `runtime:${version}`, kind: 'dependency', scope, optional: false }]
  })
}

/** Members that other tools own may have any shape; one that is not known here asks for nothing. */
const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}
