import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { testingFileOf } from '#/environment/env-file.ts'
import {
  byteLength,
  editedFile,
  ENVIRONMENT_LIMITS,
  FormatRefused,
  renderFile,
} from '#/environment/format/index.ts'
import type { EnvironmentDeps } from '#/environment/deps.ts'
import { refuseInvalid, undetermined } from '#/environment/refusals.ts'
import { mostBytes, readerOf, type Values } from '#/environment/rules.ts'
import type { Snapshot } from '#/environment/snapshot.ts'
import { requireProfile, type Target } from '#/environment/target.ts'

/** The `.env.testing` of one synchronization. */
export interface OpenTestingFile {
  /** Its text from the values of `.env`; refuses what cannot be written, before anything is. */
  plan(values: Values): void
  /** Whether the file changed. */
  write(): Promise<boolean>
}

/** Keys of a test database with the longest password and names. */
const KEY_BYTES = 4096

/**
 * Checks the file of an Instance that owns its `DB` database (ENV-052); undefined when there is none to write. One that Git has
 * is left to the Project, and the Activity names the test database (ENV-055). Throws `env.testing_tracking_unknown` and what the
 * checks of `.env` throw.
 */
export async function openTestingFile(
  deps: EnvironmentDeps,
  call: Call,
  target: Target,
  { testDatabase, values: sealed }: Snapshot,
): Promise<OpenTestingFile | undefined> {
  if (!testDatabase) return undefined
  const file = testingFileOf(deps, call, target)
  const own: Target = { ...target, place: { ...target.place, file: '.env.testing' } }
  const found = await file.inspect(mostBytes(sealed) + KEY_BYTES)
  if (found.kind === 'unknown') throw fail('env.testing_tracking_unknown')
  if (found.kind === 'tracked') {
    call.note.property('testing', testDatabase.name)
    return undefined
  }
  const reader = readerOf(requireProfile(target.instance))
  const before = found.kind === 'file' ? found.content : undefined
  let text = ''
  return {
    plan: (values) => {
      const { set, removed } = testDatabase.keys()
      text = before
        ? readable(own, () => editedFile(before, { set, removed }, reader))
        : renderFile(testValues(values, set, removed), reader)
      if (byteLength(text) > ENVIRONMENT_LIMITS.fileBytes) refuseInvalid({ rule: 'file_size' })
    },
    write: async () => {
      if (found.kind === 'file' && found.isPrivate && found.content.equals(Buffer.from(text))) return false
      await file.write({ attempt: deps.ids.hex(8), before, content: text })
      return true
    },
  }
}

/** Those of `.env` for a test run (ENV-053). */
function testValues(values: Values, set: Values, removed: readonly string[]): Values {
  const kept = [...values].filter(([key]) => !removed.includes(key))
  return new Map([...kept, ['APP_ENV', 'testing'], ...set])
}

function readable(target: Target, edit: () => string): string {
  try {
    return edit()
  } catch (error) {
    throw error instanceof FormatRefused ? undetermined(target, error.problem) : error
  }
}
