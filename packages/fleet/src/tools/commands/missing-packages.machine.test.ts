import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { localSession, serviceHost } from '@fleet/testing'
import { missingPackages, type Wanted } from '#/tools/commands/missing-packages.ts'

const WANTED: readonly Wanted[] = [
  'git',
  ['docker.io', 'docker-ce'],
  { whereKnown: ['docker-cli', 'docker-ce-cli'] },
]

/** What is missing on a machine with these packages, whose package sources have those. */
function missingWith(context: TestContext, installed: readonly string[], known: readonly string[]) {
  const host = serviceHost()
  context.after(() => host[Symbol.dispose]())
  const lines = installed.map((name) => `installed ${name}`).join('\\n')
  host.install('dpkg-query', `printf '${lines}\\nconfig-files git\\n'`)
  host.install(
    'apt-cache',
    `case " ${known.join(' ')} " in
      *" $3 "*) printf '%s:\\n  Installed: (none)\\n  Candidate: 26.1.5\\n' "$3" ;;
      *) printf '%s:\\n  Installed: (none)\\n  Candidate: (none)\\n' "$3" ;;
    esac`,
  )
  return localSession(host.pool).ask(missingPackages, WANTED)
}

test('of several packages one is enough, and what was removed but left its settings is missing', async (context) => {
  assert.deepEqual(await missingWith(context, [], []), ['git', 'docker.io'])
  assert.deepEqual(await missingWith(context, ['git', 'docker-ce'], []), [])
})

test('a part that only some releases split off is missing where a package source has it and neither choice is there', async (context) => {
  assert.deepEqual(await missingWith(context, ['git', 'docker.io'], ['docker-cli']), ['docker-cli'])
  assert.deepEqual(await missingWith(context, ['git', 'docker.io', 'docker-cli'], ['docker-cli']), [])
  assert.deepEqual(await missingWith(context, ['git', 'docker-ce', 'docker-ce-cli'], ['docker-cli']), [])
})
