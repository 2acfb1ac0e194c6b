import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '#/print/value.ts'
import { plain } from '#/terminal.ts'
import { streamViews, views } from './index.ts'

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 2) + seconds * 1000).toISOString()
const common = { request_id: 'r', deployment_id: 21, sequence: 1 }
const output = (seconds: number, text: string, stream = 'stdout') => ({
  ...common,
  type: 'output',
  at: at(seconds),
  stream,
  data_base64: Buffer.from(text).toString('base64'),
})
const phase = (seconds: number, name: string, step_name: string | null = null) => ({
  ...common,
  type: 'phase',
  at: at(seconds),
  phase: name,
  step_name,
})

async function printed(deployment: Json): Promise<string> {
  const view = (await views['deployment:show']?.()) ?? assert.fail('there is no view')
  const messageOf = (): string => 'The Node does not answer over SSH.'
  const lines = await view.lines(deployment, undefined, { columns: 100, colors: plain, messageOf })
  return lines.map((line) => `${line}\n`).join('')
}

test('a deployment shows its phases and steps with their times, and what they print in whole lines', async () => {
  const run = [
    phase(0, 'source_preparation'),
    phase(1.25, 'before_activation', 'build'),
    output(1.5, 'half a '),
    output(1.5, 'warning\u001b[31m\n', 'stderr'),
    output(1.6, 'line\r\nrest'),
    {
      ...common,
      type: 'result',
      at: at(2.5),
      status: 'failed',
      failed_step: 'before_activation',
      error_code: 'node.unreachable',
      selected_release: null,
    },
  ]
  const deployment = {
    id: 21,
    instance_id: 7,
    status: 'failed',
    branch: 'main',
    commit: 'fa41e3a',
    release: null,
    started_at: at(0),
    finished_at: at(2.5),
    failed_step: 'before_activation',
    error_code: 'node.unreachable',
    selected_release: null,
    triggered_by: 'gateway',
    events: run,
  }
  assert.equal(
    await printed(deployment),
    [
      'Deployment 21  failed  Instance 7',
      '',
      'Source',
      '  branch   main',
      '  commit   fa41e3a',
      '  started  2026-01-02T00:00:00.000Z',
      '  by       gateway',
      '',
      'Phases',
      '  source preparation      1.3 s  ━━━━━━━━━━━━━━━━',
      '    build                 1.3 s                  ━━━━━━━━━━━━━━━━ failed',
      '',
      'Run',
      '   0.0 s  source preparation',
      '   1.3 s  build  before activation',
      '          warning\\u001b[31m',
      '          half a line',
      '          rest',
      'Failed at before activation in the step build  2.5 s',
      'The Node does not answer over SSH. (node.unreachable)',
      'next  fleet instance:deploy 7',
      '',
    ].join('\n'),
  )
  const served = [
    phase(1.5, 'activation'),
    { ...run.at(-1), error_code: 'app-prod.web_root_invalid', failed_step: 'activation' },
  ]
  assert.match(
    await printed({ ...deployment, events: [...run.slice(0, -1), ...served] }),
    /^Failed at activation {2}2\.5 s\n.*\nnext {2}Push a commit without what the output names, .* Then fleet instance:deploy 7$/m,
  )
  const gap = [
    phase(0, 'before_activation', 'noisy'),
    { ...output(1, 'cut'), sequence: 2 },
    { ...output(2, 'the end\n'), sequence: 9 },
  ]
  assert.match(
    await printed({ ...deployment, events: gap }),
    /^ {10}cut\n {10}… Earlier output is not kept\.\n {10}the end$/m,
  )
  const paper = { columns: 100, colors: plain, messageOf: () => undefined }
  const slow = (await streamViews['instance:deploy']?.(paper)) ?? assert.fail()
  assert.deepEqual(gap.flatMap((line) => slow.line(line)).slice(1), [
    '          cut',
    '          … Output is left out here. The last of it: fleet deployment:show 21',
    '          the end',
  ])
  const text = (await streamViews['instance:rollback']?.(paper)) ?? assert.fail()
  const result = {
    ...common,
    type: 'result',
    at: at(0),
    status: 'succeeded',
    failed_step: null,
    error_code: null,
    selected_release: 'r1',
  }
  assert.deepEqual(text.line(result), ['Succeeded  0.0 s', 'serves  r1'])
  const failed = { ...result, status: 'failed', selected_release: null } as const
  const refused = { ...failed, deployment_id: null, failed_step: 'operation', error_code: 'node.unknown' }
  assert.deepEqual(text.line(refused), ['Refused', '(node.unknown)'])
  // What mends it comes before the command that shows it, with what is known of the placeholders.
  text.line(phase(1, 'after_activation', 'build'))
  const late = { ...failed, failed_step: 'after_activation', error_code: 'deployment.step_timeout' }
  assert.deepEqual(text.line(late).slice(-2), [
    'next  Give the step more time: fleet instance:deploy-step:update INSTANCE build --timeout-seconds SECONDS, for development fleet project:dev-deploy-step:update PROJECT build --timeout-seconds SECONDS',
    'next  fleet deployment:show 21',
  ])
  const shown = await printed({ ...deployment, events: [phase(1, 'after_activation', 'build'), late] })
  assert.match(
    shown,
    /\nnext {2}Give .* instance:deploy-step:update 7 build .*\nnext {2}fleet instance:deploy 7\n$/,
  )
  text.line(output(1, 'cut'))
  assert.deepEqual(text.end(), ['          cut'])
})

test('a deployment that nobody ended says what its record says of its end, and one that runs says nothing of it', async () => {
  const record = {
    id: 21,
    instance_id: 7,
    branch: 'main',
    commit: null,
    release: 'r2',
    started_at: at(0),
    finished_at: at(60),
    triggered_by: 'gateway',
    events: [phase(0, 'source_preparation'), phase(2, 'after_activation', 'build')],
  }
  const end = {
    failed_step: 'after_activation',
    error_code: 'deployment.interrupted',
    selected_release: 'r2',
  }
  assert.match(
    await printed({ ...record, ...end, status: 'failed' }),
    /\nFailed at after activation in the step build {2}60\.0 s\n.*\(deployment\.interrupted\)\nserves {2}r2\nnext {2}fleet instance:deploy 7\n$/,
  )
  const running = { failed_step: null, error_code: null, selected_release: null, finished_at: null }
  assert.doesNotMatch(await printed({ ...record, ...running, status: 'running' }), /Failed|Succeeded|serves/)
})
