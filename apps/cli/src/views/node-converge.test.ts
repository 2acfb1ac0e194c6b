import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '#/print/value.ts'
import { plain } from '#/terminal.ts'
import { nodeConverge } from './node-converge.ts'

async function printed(data: Json, columns = 100): Promise<string> {
  const lines = await nodeConverge.lines(data, undefined, {
    columns,
    colors: plain,
    messageOf: () => undefined,
  })
  return lines.map((line) => `${line}\n`).join('')
}

test('a converge is a row for each part', async () => {
  const artifacts = [
    { name: 'agent', outcome: 'unchanged', error_code: null },
    {
      name: 'caddy',
      outcome: 'skipped',
      error_code: 'app-dev.caddy_config_failed',
      message: 'two sites serve shop.test',
    },
  ]
  assert.equal(
    await printed({ node_id: 3, artifacts }),
    'NAME   OUTCOME    ERROR CODE\nagent  unchanged  –\ncaddy  skipped    app-dev.caddy_config_failed\n\ncaddy: two sites serve shop.test\n',
  )
})

test('a part of a converge that was skipped says where, why and what helps', async () => {
  const skipped = {
    name: 'route-residue',
    outcome: 'skipped',
    error_code: 'app-dev.source_access_failed',
    message: 'The entry does not belong to the managed user.',
    details: {
      node: { id: 3, name: 'web-1' },
      reason: 'foreign_owner',
      path: '/srv/apps/job/default/worker.sh',
    },
  }
  assert.equal(
    await printed({ node_id: 3, artifacts: [skipped] }, 400),
    [
      'NAME           OUTCOME  ERROR CODE',
      'route-residue  skipped  app-dev.source_access_failed',
      '',
      'route-residue: The entry does not belong to the managed user.',
      '  reason  foreign_owner',
      '  path    /srv/apps/job/default/worker.sh',
      '  next    On the Node, as root: chown -R USER PATH, with the path of the details and its user there, or else the managed account of the Node. Then run the same command again.',
      '',
    ].join('\n'),
  )
  const step = (code: string) =>
    printed({ node_id: 3, artifacts: [{ ...skipped, error_code: code, details: {} }] })
  assert.match(await step('app-dev.php_pool_directory_missing'), /next {2}fleet doctor:run --node 3 shows/)
  assert.doesNotMatch(await step('of.a_later_release'), /next/)
})
