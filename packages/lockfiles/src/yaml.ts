import { CORE_SCHEMA, loadAll } from 'js-yaml'
import { type Origin, refuse } from './failure.ts'
import { LIMITS } from './limits.ts'

/**
 * The documents of a YAML file, read without merges and tags of its own; a key that is given twice is refused. No manager
 * writes aliases, which are what can make a small file a large value; people do, so a file of theirs may have some.
 */
export function parseYaml(text: string, origin: Origin, maxAliases = 0): readonly unknown[] {
  try {
    return loadAll(text, { schema: CORE_SCHEMA, maxAliases, maxDepth: LIMITS.depth })
  } catch {
    refuse(origin, 'not_yaml')
  }
}
