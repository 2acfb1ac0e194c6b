import { type Fields, fieldsOf } from './fields.ts'
import { type Origin, refuse } from './failure.ts'
import { links, type Links, standIns } from './composer-links.ts'
import { parseJson } from './json.ts'

export interface ComposerManifest {
  readonly requires: Links
  readonly developmentRequires: Links
  /** Names that the project itself provides or replaces, and its own. */
  readonly standsFor: ReadonlySet<string>
}

const MANIFEST: Origin = { file: 'composer.json', invalid: 'dependencies.invalid_manifest' }

export function composerManifest(text: string): ComposerManifest {
  const fields = fieldsOf(parseJson(text, MANIFEST), MANIFEST)
  checkRepositories(fields['repositories'])
  const { name } = fields
  return {
    requires: links(fields['require'], MANIFEST),
    developmentRequires: links(fields['require-dev'], MANIFEST),
    standsFor: new Set([
      ...standIns(fields['provide'], MANIFEST),
      ...standIns(fields['replace'], MANIFEST),
      ...(typeof name === 'string' ? [name.toLowerCase()] : []),
    ]),
  }
}

/** Repositories are a list or have names; `false` turns one off. One of type `path` links local packages. */
function checkRepositories(repositories: unknown): void {
  if (repositories === undefined || repositories === null) return
  if (typeof repositories !== 'object') refuse(MANIFEST, 'wrong_type')
  for (const one of Object.values(repositories)) {
    if (one === false) continue
    if (isPath(fieldsOf(one, MANIFEST))) refuse(MANIFEST, 'local_package', 'dependencies.unsupported_layout')
  }
}

const isPath = ({ type }: Fields): boolean => type === 'path'
