import { testStepList } from '@fleet/steps/testing'
import {
  forwardLog,
  returnLog,
  type Upgrade,
  upgradeForward,
  upgradeReturn,
  type UpgradeSteps,
} from './run.ts'
import type { UpgradeState } from './state.ts'
import { begun } from './world.test.ts'

/** The machine of a gateway as far as an upgrade changes it. */
interface Machine {
  isRunning: boolean
  version: string
  /** Which release wrote the records last; a snapshot is a copy of it. */
  records: string
  snapshot: string | null
  saved: UpgradeState
}

interface Given extends Upgrade {
  readonly machine: Machine
}

const nothing = async () => ({})

const stepsOn = (machine: Machine): UpgradeSteps => ({
  forward: {
    begin: nothing,
    drain: async () => {
      machine.isRunning = false
      return {}
    },
    snapshot: async () => {
      machine.isRunning = false
      machine.snapshot = machine.records
      return { snapshot: '/kept' }
    },
    switch: async ({ to }) => {
      machine.isRunning = false
      machine.version = to
      return {}
    },
    start: async () => {
      machine.isRunning = true
      machine.records = machine.version
      return {}
    },
    smoke: nothing,
    tick: nothing,
  },
  back: {
    stop: async () => void (machine.isRunning = false),
    records: async () => void (machine.records = machine.snapshot ?? machine.records),
    'switch-back': async ({ from }) => void (machine.version = from),
    'start-back': async () => void (machine.isRunning = true),
    'smoke-back': async () => undefined,
  },
  version: begun.from,
  handOver: () => undefined,
  tell: async () => undefined,
  save: (state) => void (machine.saved = state),
  noteFailure: () => undefined,
  end: () => undefined,
})

const begin = (machine: Machine): Given => ({
  machine,
  steps: stepsOn(machine),
  state: machine.saved,
  found: {},
})

testStepList<Given>('gateway-upgrade', {
  list: upgradeForward,
  fresh: () => begin({ isRunning: true, version: 'v1', records: 'v1', snapshot: null, saved: begun }),
  view: ({ machine: { saved: state, ...machine } }) => ({ ...machine, kept: state.snapshot }),
  log: forwardLog,
  // A failed upgrade returns; what is asked here is the one that died, at the step that the file names.
  again: ({ machine }) => {
    const step = machine.saved.reason?.step ?? machine.saved.step
    return begin(Object.assign(machine, { saved: { ...machine.saved, phase: 'forward', step } }))
  },
})

testStepList<Given>('gateway-return', {
  list: upgradeReturn,
  fresh: () =>
    begin({
      isRunning: true,
      version: 'v2',
      records: 'v2',
      snapshot: 'v1',
      saved: { ...begun, phase: 'back', step: 'stop', reason: { step: 'smoke', message: 'no answer' } },
    }),
  view: ({ machine: { saved: _, ...machine } }) => machine,
  log: returnLog,
  again: ({ machine }) => begin(machine),
})
