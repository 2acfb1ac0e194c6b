import { connect } from '#/gateway/connection.ts'
import { fingerprintOf } from '#/gateway/certificate.ts'
import { routeOf } from '#/route.ts'
import { printAnswer } from '#/print/answer.ts'
import { isObject } from '#/print/value.ts'
import type { LocalRun } from './local-run.ts'

/** The operation, and how this client reaches and trusts the gateway. */
export const showStatus: LocalRun = async (
  { environment, terminal, tree, sender, signal, newRequestId, onRequest },
  { globals },
) => {
  const operation = tree.commands['gateway:status']
  if (!operation) throw new Error('the catalogue has no gateway:status')
  const connection = await connect(environment, globals)
  const requestId = globals.requestId ?? newRequestId()
  onRequest({ id: requestId, changes: false, target: connection.baseUrl })
  const answer = await sender({ ...connection, timeoutSeconds: globals.timeoutSeconds }).send(
    routeOf(operation),
    {},
    { requestId, signal },
  )
  if (globals.json) return terminal.out(`${answer.text}\n`)
  const own = {
    gateway: connection.name,
    url: connection.baseUrl,
    ...(connection.localAddress === undefined ? {} : { from: connection.localAddress }),
    root_fingerprint: fingerprintOf(connection.ca),
  }
  await printAnswer('gateway:status', { ...own, ...(isObject(answer.data) ? answer.data : {}) }, terminal)
}
