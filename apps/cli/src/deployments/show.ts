import type { ParsedLine } from '#/args/parse.ts'
import { linkOf } from '#/live/gateway-link.ts'
import type { LocalRun } from '#/local/local-run.ts'
import { runOperation } from '#/operation.ts'
import { followDeployment } from './follow.ts'
import { DeploymentPrinter } from './printer.ts'

/** `fleet deployment:show`: the record, or with `--follow` the run as it continues. */
export const runDeploymentShow: LocalRun = async (context, invocation, members) => {
  if (members['follow'] === true) {
    const link = await linkOf(context, invocation)
    const { json } = invocation.globals
    const printer = await DeploymentPrinter.for(context, 'instance:deploy', { json })
    const read = (deployment: number): Promise<unknown> => link.ask('deployment:show', { deployment })
    return followDeployment(context, Number(members['deployment']), read, printer)
  }
  const operation = context.tree.commands['deployment:show']
  if (!operation) throw new Error('the catalogue has no deployment:show')
  const line = withoutFollow(invocation.line)
  return runOperation(context, { ...invocation, command: operation, line }, operation)
}

const withoutFollow = (line: ParsedLine): ParsedLine => ({
  ...line,
  options: new Map([...line.options].filter(([name]) => name !== 'follow')),
})
