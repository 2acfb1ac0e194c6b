import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DependencyUpdate } from '@fleet/contract'
import { plain } from '#/terminal.ts'
import { dependencyUpdate } from './update-text.ts'

const linesOf = (update: DependencyUpdate) =>
  dependencyUpdate.lines({ ...update }, undefined, {
    columns: 100,
    colors: plain,
    messageOf: () => 'The package manager failed.',
  })

test('an update says how each manager ended, and what may have changed', async () => {
  const code = 'dependencies.update_failed'
  const lines = await linesOf({
    instance_id: 7,
    succeeded: false,
    error_code: code,
    may_have_mutated: true,
    composer: { ecosystem: 'composer', status: 'failed', may_have_mutated: true, error_code: code },
    javascript: { ecosystem: 'npm', status: 'not_run', may_have_mutated: false, error_code: null },
    inventory: null,
  })
  assert.deepEqual(lines, [
    `The package manager failed. (${code})`,
    '',
    'Update',
    `  Composer  failed, ${code}, may have changed files`,
    '  Vite+     not run',
  ])
})

test('an update that the files refuse names the command that says which file it was', async () => {
  const refused = (error_code: DependencyUpdate['error_code']) =>
    linesOf({
      instance_id: 7,
      succeeded: false,
      error_code,
      may_have_mutated: false,
      composer: { ecosystem: 'composer', status: 'not_run', may_have_mutated: false, error_code: null },
      javascript: { ecosystem: 'npm', status: 'not_run', may_have_mutated: false, error_code: null },
      inventory: null,
    })
  const last = async (code: DependencyUpdate['error_code']) => (await refused(code)).at(-1)
  assert.equal(
    await last('dependencies.incomplete_source'),
    'Which file, and why: fleet instance:dependencies:scan 7',
  )
  assert.equal(await last('dependencies.production_update_forbidden'), '  Vite+     not run')
})
