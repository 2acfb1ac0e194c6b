import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { AppKeyFileRefused, AppKeyInvalid, newAppKey, readOrMakeAppKey } from '#/index.ts'

const keyFile = (context: TestContext): string => {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-key-'))
  context.after(() => rmSync(directory, { recursive: true, force: true }))
  return join(directory, 'home', 'app.key')
}

test('the first start makes the file for its owner alone, and later starts use it', (context) => {
  const file = keyFile(context)
  const key = readOrMakeAppKey({ file })
  assert.match(key.reveal(), /^base64:[A-Za-z0-9+/]{43}=$/)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(readFileSync(file, 'utf8'), `${key.reveal()}\n`)
  assert.equal(readOrMakeAppKey({ file }).reveal(), key.reveal())
  assert.deepEqual(readdirSync(join(file, '..')), ['app.key'])
})

test('two installations get different keys', (context) => {
  const [first, second] = [keyFile(context), keyFile(context)]
  assert.notEqual(readOrMakeAppKey({ file: first }).reveal(), readOrMakeAppKey({ file: second }).reveal())
})

test('APP_KEY wins over the file and makes none [GW-066]', (context) => {
  const file = keyFile(context)
  const fromEnvironment = newAppKey().reveal()
  assert.equal(readOrMakeAppKey({ fromEnvironment, file }).reveal(), fromEnvironment)
  assert.equal(existsSync(file), false)
})

test('an unset or empty APP_KEY falls back to the file [GW-066]', (context) => {
  const file = keyFile(context)
  const key = readOrMakeAppKey({ file })
  assert.equal(readOrMakeAppKey({ fromEnvironment: '', file }).reveal(), key.reveal())
  assert.equal(readOrMakeAppKey({ fromEnvironment: undefined, file }).reveal(), key.reveal())
})

for (const mode of [0o640, 0o604, 0o620, 0o666]) {
  test(`a file of mode 0${mode.toString(8)} is refused with the command that mends it`, (context) => {
    const file = keyFile(context)
    readOrMakeAppKey({ file })
    chmodSync(file, mode)
    assert.throws(
      () => readOrMakeAppKey({ file }),
      (error: unknown) => error instanceof AppKeyFileRefused && error.message.includes(`chmod 600 ${file}`),
    )
  })
}

test('a missing file is refused where a database already waits for its key', (context) => {
  const file = keyFile(context)
  assert.throws(() => readOrMakeAppKey({ file, mayMake: false }), AppKeyFileRefused)
  assert.equal(existsSync(file), false)
})

test('a broken key is refused without being shown, and the file stays', (context) => {
  const file = keyFile(context)
  readOrMakeAppKey({ file })
  writeFileSync(file, 'canary')
  for (const options of [{ file }, { file, fromEnvironment: 'canary' }]) {
    assert.throws(
      () => readOrMakeAppKey(options),
      (error: unknown) => error instanceof AppKeyInvalid && !error.message.includes('canary'),
    )
  }
  assert.equal(readFileSync(file, 'utf8'), 'canary')
})
