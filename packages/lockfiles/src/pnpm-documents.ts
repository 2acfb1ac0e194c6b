import { type Fields, fieldsOf, optionalFields } from './fields.ts'
import { type Origin, refuse } from './failure.ts'
import { parseYaml } from './yaml.ts'

/**
 * The document of the project. pnpm 11 and later may write one before it, with the manager itself and its configuration
 * packages, which the project does not depend on.
 */
export function projectDocument(text: string, origin: Origin): Fields {
  const documents = parseYaml(text, origin)
  const [first, second] = documents
  if (documents.length === 0 || documents.length > 2) refuse(origin, 'documents')
  for (const one of documents) checkVersion(fieldsOf(one, origin), origin)
  if (documents.length === 1) return fieldsOf(first, origin)
  if (!isEnvironment(fieldsOf(first, origin), origin)) refuse(origin, 'documents')
  return fieldsOf(second, origin)
}

/** Without quotes YAML reads the version as a number. */
function checkVersion({ lockfileVersion }: Fields, origin: Origin): void {
  if (lockfileVersion !== '9.0' && lockfileVersion !== 9)
    refuse(origin, 'format_version', 'dependencies.unsupported_format')
}

function isEnvironment(document: Fields, origin: Origin): boolean {
  const importer = optionalFields(optionalFields(document['importers'], origin)?.['.'], origin) ?? {}
  return 'configDependencies' in importer || 'packageManagerDependencies' in importer
}
