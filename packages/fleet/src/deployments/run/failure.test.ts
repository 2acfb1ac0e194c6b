import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { causeOf } from '#/deployments/run/failure.ts'

test('the names that an error has in its details are output of the run, with its message where that is its own', () => {
  assert.equal(
    causeOf(fail('env.sync_would_drop_keys', { details: { keys: 'BAR,FOO', count: 2 } })),
    'keys: BAR,FOO',
  )
  const placeholder = { rule: 'placeholder_unresolved', key: 'URL', placeholder: '{{x}}' }
  assert.equal(
    causeOf(fail('env.reference_unavailable', { details: placeholder })),
    'key: URL\nplaceholder: {{x}}',
  )
  const branch = { node: { id: 1, name: 'n' }, step: 'branch', branch: 'nope' }
  assert.equal(causeOf(fail('instance.branch_resolution_failed', { details: branch })), 'branch: nope')
  const reason = { reason: 'foreign' }
  assert.equal(causeOf(fail('deployment.release_failed', { details: reason })), 'reason: foreign')
  assert.equal(
    causeOf(fail('env.owner_unavailable', { message: 'Why.', details: { ...reason, keys: 'URL' } })),
    'Why.\nkeys: URL',
  )
  assert.equal(causeOf(fail('deployment.source_dirty')), undefined)
  const path = { path: 'public/a\u001b[31m\n', reason: 'link' }
  assert.equal(
    causeOf(fail('app-prod.web_root_invalid', { message: 'Why.', details: path })),
    'Why.\npath: public/a?[31m?',
  )
  assert.equal(
    causeOf(
      fail('app-prod.web_root_invalid', { message: 'public/a is a link.', details: { path: 'public/a' } }),
    ),
    'public/a is a link.',
  )
  const php = { constraint: '>=9.0', available: ['8.4', '8.2'] }
  assert.equal(
    causeOf(fail('app-prod.php_version_unsupported', { details: php })),
    'constraint: >=9.0\navailable: 8.4, 8.2',
  )
})
