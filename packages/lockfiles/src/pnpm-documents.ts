import { type Fields, fieldsOf, optionalFields } from './fields.ts'
import { type Origin, refuse } from './failure.ts'
import { type PackageEntries, readPackages } from './pnpm-packages.ts'
import { type ChosenEntries, readChosen } from './pnpm-chosen.ts'
import { parseSections, type Sectioned } from './yaml.ts'

/** The document of a project. */
export interface ProjectDocument {
  /** Everything but the sections below, which are nearly all of a lock. */
  readonly fields: Fields
  readonly packages: PackageEntries | undefined
  readonly snapshots: ChosenEntries | undefined
}

/**
 * The document of the project. pnpm 11 and later may write one before it, with the manager itself and its configuration
 * packages, which the project does not depend on.
 */
export function projectDocument(text: string, origin: Origin): ProjectDocument {
  const documents = parseSections<Sections>(
    text,
    {
      packages: (reader) => readPackages(reader, origin),
      snapshots: (reader) => readChosen(reader, origin),
    },
    origin,
  )
  const [first, second] = documents
  if (first === undefined) refuse(origin, 'empty')
  if (documents.length > 2) refuse(origin, 'documents')
  for (const { rest } of documents) checkVersion(fieldsOf(rest, origin), origin)
  if (second === undefined) return projectOf(first, origin)
  if (!isEnvironment(fieldsOf(first.rest, origin), origin)) refuse(origin, 'documents')
  return projectOf(second, origin)
}

interface Sections {
  readonly packages: PackageEntries
  readonly snapshots: ChosenEntries
}

const projectOf = ({ rest, section }: Sectioned<Sections>, origin: Origin): ProjectDocument => ({
  fields: fieldsOf(rest, origin),
  packages: section('packages'),
  snapshots: section('snapshots'),
})

/** Without quotes YAML reads the version as a number. */
function checkVersion({ lockfileVersion }: Fields, origin: Origin): void {
  if (lockfileVersion !== '9.0' && lockfileVersion !== 9)
    refuse(origin, 'format_version', 'dependencies.unsupported_format')
}

function isEnvironment(document: Fields, origin: Origin): boolean {
  const importer = optionalFields(optionalFields(document['importers'], origin)?.['.'], origin) ?? {}
  return 'configDependencies' in importer || 'packageManagerDependencies' in importer
}
