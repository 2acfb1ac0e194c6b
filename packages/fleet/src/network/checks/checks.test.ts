import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hubQuestion } from '#/network/checks/hub-question.ts'
import { comparePeers, compareResolver } from '#/network/checks/make.ts'

const wanted = new Map([
  ['key-a=', '10.44.0.2/32'],
  ['key-b=', '10.44.0.3/32'],
])
const hub = (peers: ReadonlyMap<string, string>) => ({ isUp: true, boots: true, peers })

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
  assert.equal(comparePeers(wanted, { isUp: false, boots: true, peers: new Map() }), undefined)
})

test('the answer of a hub is read whole, or not at all', () => {
  const text = 'up 3\nyes\nboots 2\nno\npeers 40\nkey-a= 10.44.0.2/32\nkey-b= 10.44.0.3/32'
  assert.equal(hubQuestion.read({ exitCode: 0, text }), undefined)
  const whole = text.replace('peers 40', `peers ${'key-a= 10.44.0.2/32\nkey-b= 10.44.0.3/32'.length}`)
  assert.deepEqual(hubQuestion.read({ exitCode: 0, text: whole }), {
    isUp: true,
    boots: false,
    peers: wanted,
  })
  assert.equal(hubQuestion.read({ exitCode: 1, text: whole }), undefined)
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
