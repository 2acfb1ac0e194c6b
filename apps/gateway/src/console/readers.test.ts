import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { outliveReaders } from './readers.ts'

const coded = (code: string) => Object.assign(new Error(code), { code })

test('a reader that is gone is no error; whatever else goes wrong with the output is', () => {
  const stream = new EventEmitter()
  outliveReaders([stream])
  for (const code of ['EPIPE', 'EIO']) stream.emit('error', coded(code))
  assert.throws(() => stream.emit('error', coded('ENOSPC')), { code: 'ENOSPC' })
})

test('a command whose output nobody reads does its work to the end', async () => {
  const program = `
    const { outliveReaders } = await import(${JSON.stringify(join(import.meta.dirname, 'readers.ts'))})
    outliveReaders()
    process.stdin.once('data', () => {
      process.stdout.write('one', () => process.stdout.write('two', () => process.exit(7)))
    })
    process.stderr.write('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'pipe' })
  const said = text(child.stderr)
  await once(child.stderr, 'data')
  child.stdout.destroy()
  child.stdin.write('go')
  const [status] = await once(child, 'exit')
  assert.deepEqual([status, (await said).replace('ready', '')], [7, ''])
})
