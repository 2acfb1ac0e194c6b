import assert from 'node:assert/strict'
import { test } from 'node:test'
import { installOptions } from './options.ts'

const HOST = ['--public-host', 'gateway.example'] as const
const refusal = (message: RegExp) => ({ name: 'Refusal', message })

test('an installation needs an address alone; everything else has a default', async () => {
  assert.deepEqual(await installOptions(HOST), {
    name: 'gateway',
    publicHost: 'gateway.example',
    publicPort: 22,
    range: '10.44.0.0/16',
    address: undefined,
    port: 51_820,
    suffix: 'fleet',
    fleetUser: undefined,
  })
  assert.equal(await installOptions([...HOST, '--help']), undefined)
  await assert.rejects(installOptions([]), refusal(/^--public-host is missing\.$/))
})

test('a restoration takes its file and nothing of an installation', async () => {
  assert.deepEqual(await installOptions(['--restore', 'kept', '--passphrase-file', 'pass']), {
    restore: 'kept',
    passphraseFile: 'pass',
    keepRecords: false,
  })
  assert.partialDeepStrictEqual(await installOptions(['--restore', 'kept', '--keep-records']), {
    keepRecords: true,
  })
})

test('a port is a whole number from 1 to 65535', async () => {
  for (const flag of ['public-port', 'port'])
    for (const port of ['1', '65535']) {
      const read = await installOptions([...HOST, `--${flag}`, port])
      assert.ok(read && 'port' in read)
      assert.equal(flag === 'port' ? read.port : read.publicPort, Number(port))
    }
  for (const flag of ['public-port', 'port'])
    for (const port of ['0', '65536', '1.5', '1e3', '0x10', ' 22', ''])
      await assert.rejects(
        installOptions([...HOST, `--${flag}`, port]),
        refusal(new RegExp(`^--${flag} must be a port from 1 to 65535\\.$`)),
      )
})

test('a name or an address that cannot be one is refused with its flag, and so is an unknown flag', async () => {
  await assert.rejects(installOptions([...HOST, '--name', 'a b']), refusal(/^--name cannot be a b\.$/))
  await assert.rejects(installOptions([...HOST, '--name', '']), refusal(/^--name cannot be empty\.$/))
  await assert.rejects(installOptions(['--public-host', 'a/b']), refusal(/^--public-host cannot be a\/b\.$/))
  await assert.rejects(installOptions([...HOST, '--nosuch']), refusal(/--nosuch/))
})
