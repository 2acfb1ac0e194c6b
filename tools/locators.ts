import { catalogue, type Operation, pathSegments, unknownCode } from '@fleet/contract'
import type { Report, SourceFile } from './tree.ts'

/** A kind of path parameter that a domain has a locator for. */
interface Declared {
  readonly key: string
  readonly file: string
  readonly line: number
}

// Leases in the memory of one gateway, each known to its opener alone: the handler finds them, after the grant.
const NO_RECORDS = ['log-streams/{stream}']

type Path = Pick<Operation, 'name' | 'path' | 'unknown'>

/**
 * Every path parameter that names a record has exactly one locator, and every other has none. The compiler holds that each
 * key of `PathRecords` has its function and that the gateway composes them all.
 */
export function locators(tree: readonly SourceFile[], operations: readonly Path[] = catalogue): Report {
  const declared = tree.filter(({ path }) => path.startsWith('packages/fleet/src/')).flatMap(declaredIn)
  const used = new Set<string>()
  const problems = operations.flatMap((operation) =>
    pathSegments(operation.path).flatMap(({ param, before }) => {
      const keys = declared.filter(({ key }) => key === `{${param}}` || key === `${before}/{${param}}`)
      for (const { key } of keys) used.add(key)
      const isLease = NO_RECORDS.includes(`${before}/{${param}}`)
      const names = !isLease && unknownCode(asOperation(operation), param) !== undefined
      if (keys.length === (names ? 1 : 0)) return []
      const what = `${operation.name}: {${param}} ${names ? 'names a record' : 'names no record'}`
      return [`${what} and has ${keys.length} locators${keys.map(({ file }) => ` ${file}`).join('')}`]
    }),
  )
  const idle = declared.filter(({ key }) => !used.has(key))
  return {
    seen: declared.length,
    unit: 'locators',
    problems: [...problems, ...idle.map(({ key, file, line }) => `${file}:${line}  no path has ${key}`)],
  }
}

// Only the codes of parameters are looked at.
const asOperation = (operation: Path): Operation => operation as Operation // as: unknownCode reads `unknown` alone.

/** The keys of `interface PathRecords` in a module augmentation of `#/handler.ts`. */
function declaredIn({ path, parsed, lineAt }: SourceFile): readonly Declared[] {
  return parsed.program.body.flatMap((statement) => {
    if (statement.type !== 'TSModuleDeclaration' || statement.body?.type !== 'TSModuleBlock') return []
    if (statement.id.type !== 'Literal' || statement.id.value !== '#/handler.ts') return []
    return statement.body.body.flatMap((inner) =>
      inner.type === 'TSInterfaceDeclaration' && inner.id.name === 'PathRecords'
        ? inner.body.body.flatMap((member) =>
            member.type === 'TSPropertySignature' &&
            member.key.type === 'Literal' &&
            typeof member.key.value === 'string'
              ? [{ key: member.key.value, file: path, line: lineAt(member.start) }]
              : [],
          )
        : [],
    )
  })
}
