import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { installOptions } from './options.ts'

const HOST = ['--public-host', 'gateway.example'] as const
/** On a machine on which no installation has begun. */
const read = (words: readonly string[]) => installOptions(words, false)
const refusal = (message: RegExp) => ({ name: 'Refusal', message })

test('an installation needs an address alone, and one that has begun not even that', async () => {
  const nothing = {
    name: undefined,
    publicHost: undefined,
    publicPort: undefined,
    range: undefined,
    address: undefined,
    port: undefined,
    suffix: undefined,
    fleetUser: undefined,
  }
  assert.deepEqual(await read(HOST), { ...nothing, publicHost: 'gateway.example' })
  assert.deepEqual(await installOptions([], true), nothing)
  assert.equal(await read([...HOST, '--help']), undefined)
  await assert.rejects(read([]), refusal(/^--public-host is missing\.$/))
})

test('a restoration takes its file, from the directory in which it was typed, and nothing of an installation', async () => {
  assert.deepEqual(await read(['--restore', 'kept', '--passphrase-file', 'pass']), {
    restore: resolve('kept'),
    passphraseFile: resolve('pass'),
    keepRecords: false,
  })
  assert.partialDeepStrictEqual(await read(['--restore', 'kept', '--keep-records']), {
    keepRecords: true,
  })
})

test('what decides about a new gateway is refused beside a backup', async () => {
  await assert.rejects(
    read([...HOST, '--restore', 'kept']),
    refusal(/^--public-host has no effect with --restore/),
  )
})

test('a port is a whole number from 1 to 65535', async () => {
  for (const flag of ['public-port', 'port'])
    for (const port of ['1', '65535']) {
      const options = await read([...HOST, `--${flag}`, port])
      assert.ok(options && 'port' in options)
      assert.equal(flag === 'port' ? options.port : options.publicPort, Number(port))
    }
  for (const flag of ['public-port', 'port'])
    for (const port of ['0', '65536', '1.5', '1e3', '0x10', ' 22', ''])
      await assert.rejects(
        read([...HOST, `--${flag}`, port]),
        refusal(new RegExp(`^--${flag} must be a port from 1 to 65535\\.$`)),
      )
})

test('a name or an address that cannot be one is refused with its flag, and so is an unknown flag', async () => {
  await assert.rejects(read([...HOST, '--name', 'a b']), refusal(/^--name cannot be a b\.$/))
  await assert.rejects(read([...HOST, '--name', '']), refusal(/^--name cannot be empty\.$/))
  await assert.rejects(read(['--public-host', 'a/b']), refusal(/^--public-host cannot be a\/b\.$/))
  await assert.rejects(read([...HOST, '--nosuch']), refusal(/--nosuch/))
})
