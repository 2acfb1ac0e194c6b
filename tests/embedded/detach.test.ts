import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { type EmbeddedFleet, startEmbedded } from './harness.ts'

const MAIN = resolve(import.meta.dirname, '../../apps/cli/src/main.ts')

/** The command as a person runs it, while it runs. */
function begin({ home }: EmbeddedFleet, ...words: readonly string[]) {
  const env = { PATH: process.env['PATH'], HOME: home, FLEET_HOME: home, FLEET_GATEWAY: 'embedded' }
  const child = spawn(process.execPath, [MAIN, ...words], { env })
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (said.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said.err += text))
  const ended = once(child, 'close').then(([code]) => Number(code))
  return {
    said,
    ended,
    interrupt: () => child.kill('SIGINT'),
    /** Reads no more of what it prints. */
    stopReading: () => child.stdout.destroy(),
    /** Resolves once it has printed the text. */
    until: async (text: string): Promise<void> => {
      const over = ended.then((code) => assert.fail(`it ended with ${code}: ${said.out}${said.err}`))
      while (!said.out.includes(text)) await Promise.race([once(child.stdout, 'data'), over])
    },
  }
}

test('a deployment continues when its command is interrupted, loses its reader or leaves by itself, and another command follows it to its end', async () => {
  await using embedded = await startEmbedded({ sample: true })
  const mark = join(embedded.home, 'mark')
  const last = join(embedded.home, 'last')
  writeFileSync(last, '')
  const until = (path: string): string => `while [ ! -e ${path} ]; do sleep 0.05; done`
  const command = `echo waiting; ${until(mark)}; echo over; ${until(last)}`
  const step = { name: 'wait', command, timeout_seconds: 60 }
  const created = await embedded.ask('POST', '/api/v1/projects/1/dev-deploy-steps', { body: step })
  assert.equal(created.status, 201)

  const first = begin(embedded, 'instance:deploy', '1')
  await first.until('waiting')
  first.interrupt()
  assert.equal(await first.ended, 130)
  assert.match(first.said.err, /Deployment 1 continues\. To follow it: fleet deployment:show 1 --follow/)
  const follower = begin(embedded, 'deployment:show', '1', '--follow')
  await follower.until('waiting')
  writeFileSync(mark, '')
  assert.equal(await follower.ended, 0, follower.said.err)
  assert.match(follower.said.out, /waiting\n +over\n[^]*^Succeeded/m)

  for (const path of [mark, last]) rmSync(path)
  const unread = begin(embedded, 'instance:deploy', '1')
  await unread.until('waiting')
  unread.stopReading()
  writeFileSync(mark, '')
  assert.equal(await unread.ended, 141)
  assert.match(unread.said.err, /Deployment 2 continues\. To follow it: fleet deployment:show 2 --follow/)
  writeFileSync(last, '')
  const again = begin(embedded, 'deployment:show', '2', '--follow')
  assert.equal(await again.ended, 0, again.said.err)

  const left = begin(embedded, 'instance:deploy', '1', '--detach')
  assert.equal(await left.ended, 0, left.said.err)
  assert.match(left.said.err, /Deployment 3 continues/)
  const next = begin(embedded, 'deployment:show', '3', '--follow', '--json')
  assert.equal(await next.ended, 0, next.said.err)
  const lines = next.said.out
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
  assert.deepEqual([lines.at(-1).type, lines.at(-1).status], ['result', 'succeeded'])
  assert.ok(existsSync(mark))
})
