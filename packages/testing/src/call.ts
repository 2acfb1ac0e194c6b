import type { Call, Caller } from '@fleet/fleet'
import { Deadline, systemClock } from '@fleet/kernel'

/** A call whose Activity notes can be read back. */
export interface FakeCall extends Call {
  readonly notes: {
    target?: number
    subject?: string
    properties: Record<string, unknown>
    exitCode?: number
  }
  readonly logged: string[]
}

const gatewayCaller: Caller = { id: 1, name: 'gateway', address: '127.0.0.1', isGateway: true }

export function fakeCall(given: Partial<Omit<Call, 'note' | 'log' | 'emit'>> = {}): FakeCall {
  const notes: FakeCall['notes'] = { properties: {} }
  const logged: string[] = []
  return {
    requestId: crypto.randomUUID(),
    operation: 'test:operation',
    caller: gatewayCaller,
    deadline: new Deadline(systemClock, 570, 20),
    signal: new AbortController().signal,
    ...given,
    notes,
    logged,
    note: {
      target: (nodeId) => void (notes.target = nodeId),
      subject: (type, id) => void (notes.subject = `${type}:${id}`),
      property: (name, value) => void (notes.properties[name] = value),
      exitCode: (code) => void (notes.exitCode = code),
    },
    emit: async () => {},
    log: (message) => void logged.push(message),
  }
}
