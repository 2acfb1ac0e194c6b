import { ClientError, EXIT } from '#/exit.ts'
import { instanceOfDirectory } from '#/dependencies/targets.ts'
import { fieldsOf, type GatewayLink, linkOf } from '#/live/gateway-link.ts'
import type { LocalRun } from '#/local/local-run.ts'
import { resolveNames } from '#/names.ts'

/** `fleet instance:open`: prints the address of an Instance; a browser is started on request, and only for a person at a terminal. */
export const runOpen: LocalRun = async (context, invocation, members) => {
  const { terminal, openPage, newRequestId } = context
  const { globals, command } = invocation
  const requestId = globals.requestId ?? newRequestId()
  const link = await linkOf(context, invocation)
  const named = { ...members }
  if (named['instance'] === undefined) named['instance'] = await instanceOfDirectory(link, process.cwd())
  await resolveNames(named, command.arguments, (operation) => link.ask(operation), link.ask)
  const url = await addressOf(link, named['instance'], requestId)
  terminal.out(
    globals.json ? `${JSON.stringify({ data: { url }, meta: { request_id: requestId } })}\n` : `${url}\n`,
  )
  if (members['browser'] !== true || globals.json || !terminal.outIsTerminal) return
  if (await openPage(url)) return
  throw new ClientError('browser.unavailable', 'No browser could be started on this machine.', {
    exit: EXIT.refused,
    next: 'Open the address above by hand.',
  })
}

/** Throws `instance.address_missing`. */
async function addressOf(link: GatewayLink, instance: unknown, requestId: string): Promise<string> {
  const record = await link.ask('instance:show', { instance }, { requestId })
  const { id, url, name, project } = fieldsOf(record)
  // An address is given to another program: nothing but a page of the web may be.
  if (typeof url === 'string' && URL.parse(url)?.protocol === 'https:') return url
  throw new ClientError(
    'instance.address_missing',
    `The Instance ${String(fieldsOf(project)['slug'])}/${String(name)} has no Route, so it has no address.`,
    { exit: EXIT.refused, next: `fleet route:create DOMAIN --instance ${String(id)}` },
  )
}
