import assert from 'node:assert/strict'
import { test } from 'node:test'
import { comparePeers, compareResolver, compareStart } from '#/network/checks/make.ts'
import { tunnelQuestion } from '#/network/checks/tunnel-question.ts'

const wanted = new Map([
  ['key-a=', '10.44.0.2/32'],
  ['key-b=', '10.44.0.3/32'],
])
const hub = (peers: ReadonlyMap<string, string>) => ({ isUp: true, peers })

test('a hub whose peers are those of the records is as it should be [DRF-035]', () => {
  assert.equal(comparePeers(wanted, hub(new Map(wanted))), undefined)
})

test('peers that are missing, unknown or have other addresses are counted, and no key is shown [DRF-014, DRF-035]', () => {
  const found = comparePeers(
    wanted,
    hub(
      new Map([
        ['key-b=', '10.44.0.9/32'],
        ['key-c=', '10.44.0.4/32'],
      ]),
    ),
  )
  assert.deepEqual(found, { expected: '2 peers', observed: '1 missing, 1 unknown, 1 with other addresses' })
})

test('a hub that is down says nothing of its peers [DRF-035]', () => {
  assert.equal(comparePeers(wanted, { isUp: false, peers: new Map() }), undefined)
})

test('a tunnel whose next start makes another one of it is distinguished from a change that was cut off [DRF-035]', () => {
  const files = { publicKey: 'key-a=', configuration: 'a'.repeat(64), hook: 'b'.repeat(64) }
  assert.equal(compareStart(files, { files, isUnfinished: false }), undefined)
  const observed = (given: Partial<typeof files>, isUnfinished = false): unknown =>
    compareStart(files, { files: { ...files, ...given }, isUnfinished })?.observed
  for (const member of ['publicKey', 'configuration', 'hook'])
    assert.equal(observed({ [member]: '' }, true), 'other configuration after a start', member)
  assert.equal(observed({}, true), 'unfinished change')
})

test('the answer of a tunnel is read whole, or not at all', () => {
  const fields = {
    up: 'yes',
    boots: 'no',
    peers: 'key-a= 10.44.0.2/32\nkey-b= 10.44.0.3/32',
    public_key: 'key=',
    configuration: 'c',
    hook: '',
  }
  const text = Object.entries(fields)
    .map(([name, value]) => `${name} ${value.length}\n${value}\n`)
    .join('')
  const { read } = tunnelQuestion()
  assert.equal(read({ exitCode: 0, text }), undefined)
  const whole = `${text}unfinished 3\nyes`
  assert.deepEqual(read({ exitCode: 0, text: whole }), {
    isUp: true,
    boots: false,
    peers: wanted,
    files: { publicKey: 'key=', configuration: 'c', hook: '' },
    isUnfinished: true,
  })
  assert.equal(read({ exitCode: 1, text: whole }), undefined)
})

test('a resolver is right when its link, the list of the machine and the silence of the tunnel are [DRF-034, DRF-038]', () => {
  const right = { files: 'own', points: true, isStub: true, isSilent: true, boots: true } as const
  assert.equal(compareResolver(right), undefined)
  assert.deepEqual(
    (['points', 'isStub', 'isSilent'] as const).map(
      (part) => compareResolver({ ...right, [part]: false })?.observed,
    ),
    ['asks another server', 'programs ask another server', 'LLMNR or mDNS on the tunnel'],
  )
})
