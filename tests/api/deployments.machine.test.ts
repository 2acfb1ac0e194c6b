import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { deploymentLine } from '@fleet/contract'
import { addProcess } from '@fleet/testing'
import { withMcpClient } from './mcp-client.ts'
import { linesOf, type ProductionWorld, startProduction } from './production.ts'

let world: ProductionWorld
before(async () => void (world = await startProduction()))
after(() => world[Symbol.asyncDispose]())

const resultOf = (text: string) => {
  const last = linesOf(text).at(-1)
  assert.equal(last?.type, 'result')
  return last
}

const deployed = async (): Promise<string> => {
  const { text } = await world.ask('POST', `${world.path}/deploy`, {})
  const { status, selected_release } = resultOf(text)
  assert.equal(status, 'succeeded', text)
  return selected_release ?? assert.fail(text)
}

test('a deployment takes no member and a rollback the name of a release; both stream lines of JSON whose last one is the result [INS-033]', async () => {
  const odd = await world.ask('POST', `${world.path}/deploy`, { release: 'x' })
  assert.deepEqual([odd.status, odd.json.error.code], [422, 'validation.failed'])
  const streams = [await world.ask('POST', `${world.path}/deploy`, {})]
  const first = resultOf(streams[0]?.text ?? '').selected_release
  await deployed()
  for (const body of [{}, { release: 7 }, { release: '../current' }, { release: 'gone' }]) {
    const refused = await world.ask('POST', `${world.path}/rollback`, body)
    assert.deepEqual([refused.status, refused.json.error.code], [422, 'validation.failed'])
  }
  streams.push(await world.ask('POST', `${world.path}/rollback`, { release: first }))
  assert.equal(world.current(), `releases/${first}`)
  for (const { status, headers, text } of streams) {
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'application/x-ndjson')
    const lines = linesOf(text)
    for (const line of lines) assert.deepEqual(deploymentLine.parse(line), line)
    assert.deepEqual(
      lines.map(({ type }) => type === 'result'),
      lines.map((_line, at) => at === lines.length - 1),
    )
    assert.ok(text.endsWith('}\n'))
  }
})

test('the releases of an Instance are listed by name, with the one that is selected [INS-034]', async () => {
  const first = await deployed()
  const second = await deployed()
  const listed = async () => (await world.ask('GET', `${world.path}/releases`)).json.data
  const before = await listed()
  assert.deepEqual(Object.keys(before), ['releases', 'selected_release'])
  assert.deepEqual(before.releases.slice(-2), [first, second])
  assert.equal(before.selected_release, second)
  await world.ask('POST', `${world.path}/rollback`, { release: first })
  assert.deepEqual(await listed(), { releases: before.releases, selected_release: first })
})

test('before each phase of a deployment its client gets white space every 10 ms for a quarter of a second [DEPL-026]', async () => {
  const { text } = await world.ask('POST', `${world.path}/deploy`, {})
  const spaces = text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { type } = JSON.parse(line) as { readonly type: string } // What the contract declares for the stream.
      return [type, line.length - line.trimStart().length]
    })
  assert.equal(spaces.filter(([type]) => type === 'phase').length, 6)
  const [{ duration_seconds: seconds }] = (await world.ask('GET', `${world.path}/deployments`)).json.data
  assert.ok(seconds >= 6 * 0.25, `six phases took ${seconds} s`)
  assert.deepEqual(
    spaces,
    spaces.map(([type]) => [type, type === 'phase' ? 25 : 0]),
  )
})

test('the tools of deployment and rollback run to the end and answer their lines, the result last [MCP-010]', async () => {
  const call = async (name: string, input: object): Promise<readonly { readonly type: string }[]> => {
    const answer = await withMcpClient(world.fleet, { path: '/mcp', from: 'granted' }, (client) =>
      client.callTool({ name, arguments: { instance: world.instance, ...input } }),
    )
    const [content] = answer.content as { readonly text: string }[] // Tools of the gateway answer one text.
    const { events, ...rest } = JSON.parse(content?.text ?? '')
    assert.deepEqual(rest, {})
    for (const line of events) assert.deepEqual(deploymentLine.parse(line), line)
    return events
  }
  const first = await deployed()
  const deployment = await call('instance-deploy', {})
  assert.deepEqual(
    // The output names an older release that is deleted.
    deployment.map(({ type }) => type).filter((type) => type !== 'output'),
    ['phase', 'phase', 'phase', 'phase', 'phase', 'phase', 'result'],
  )
  assert.notEqual(world.current(), `releases/${first}`)
  const rollback = await call('instance-rollback', { release: first })
  assert.deepEqual(
    rollback.map(({ type }) => type),
    ['phase', 'result'],
  )
  assert.equal(world.current(), `releases/${first}`)
})

/** Begins a deployment and leaves it with the first phase; answers the record once it has ended. */
async function abandoned(
  body: object,
  over: 'http1' | 'http2',
): Promise<{ readonly status: string; readonly error_code: string | null }> {
  const [before] = (await world.ask('GET', `${world.path}/deployments`)).json.data
  await world.leave(over, `${world.path}/deploy`, body)
  for (;;) {
    const [latest] = (await world.ask('GET', `${world.path}/deployments`)).json.data
    if (latest.id !== before?.id && latest.status !== 'running') return latest
  }
}

for (const over of ['http1', 'http2'] as const)
  test(`a client that goes away over ${over} cancels a deployment, unless it asked that it continues [DEPL-025]`, async () => {
    const first = await deployed()
    const { status, error_code } = await abandoned({}, over)
    assert.deepEqual(
      [status, error_code, world.current()],
      ['failed', 'deployment.cancelled', `releases/${first}`],
    )
    assert.equal((await abandoned({ detach: false }, over)).error_code, 'deployment.cancelled')
    assert.equal((await abandoned({ detach: true }, over)).status, 'succeeded')
    assert.notEqual(world.current(), `releases/${first}`)
  })

test('a health request is a path, and needs PHP to answer it', async () => {
  for (const health_path of ['up', '//host/up', '/a b', '/up#x', '/../up', '/\\up', `/${'x'.repeat(512)}`]) {
    const { status, json } = await world.ask('POST', `${world.path}/deploy`, { health_path })
    assert.deepEqual([status, json.error.code], [422, 'validation.failed'], health_path)
  }
  const { status, json } = await world.ask('POST', `${world.path}/deploy`, { health_path: '/up?a=1&b=..c' })
  assert.deepEqual([status, json.error.code], [409, 'deployment.health_unavailable'])
})

test('a deployment asks nothing of the Processes of its Instance: no unit is restarted [DEPL-029]', async () => {
  const { store } = world.fleet
  const process = await addProcess(store, {
    instance_id: world.instance,
    name: 'web',
    desired_state: 'running',
  })
  const before = world.pool.commands.length
  await deployed()
  const commands = world.pool.commands.slice(before).map((shown) => /'([^']+)'/.exec(shown)?.[1] ?? shown)
  // How many releases go, and whether the file is there, depends on which tests came before.
  const depends: ReadonlySet<string> = new Set(['discard checkout', 'write the environment file'])
  const others = commands.filter((command) => !depends.has(command))
  assert.deepEqual(others, [
    'list releases',
    'prepare checkout',
    'resolve source',
    'check the environment file',
    'link environment',
    'select release',
  ])
  const after = await store.db
    .selectFrom('processes')
    .selectAll()
    .where('id', '=', process.id)
    .executeTakeFirst()
  assert.deepEqual(after, process)
})
