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
