import { fail } from '@fleet/contract'
import { quoteWord } from '@fleet/shell'
import { storeSeed } from '#/deployments/queries.ts'
import { begin, note, type Progress, type Run } from '#/deployments/run/context.ts'
import { runSteps } from '#/deployments/run/steps.ts'
import { identityOf } from '#/nodes/api.ts'
import { type GitReason, requireHostKey, unreadableMessage } from '#/projects/api.ts'
import type { SourceLogin } from '#/source-host/api.ts'
import {
  type Blocked,
  blockedText,
  branchMissing,
  type CheckoutSession,
  directoryProblem,
  type DirtyCheckout,
  gitMissing,
  lfsRefused,
  runPrinting,
  storageRefused,
  type UpdatedCheckout,
  updateCheckout,
} from '#/instances/api.ts'

/**
 * Brings the checkout of `default` to the latest commit of its branch and runs the steps of the Project in it. The environment is
 * not written (ENV-060). Work in the checkout is never overwritten: it refuses the deployment.
 */
export async function deployDevelopment(run: Run, progress: Progress): Promise<void> {
  const { deps, call, instance } = run
  const session = deps.nodes.sessions.overTunnel(call, instance.node)
  const place = { checkoutPath: instance.checkout_path, preparationId: instance.preparation_id }
  await begin(run, progress, 'source_preparation')
  const login = await deps.projects.login(call, instance.project)
  const request = {
    ...place,
    login,
    repositoryUrl: instance.project.repository_url,
    branch: run.row.branch ?? '',
    applicationDirectory: instance.profile?.applicationDirectory ?? '',
  }
  const answer = await session.ask(updateCheckout, request, { broken: 'instance.source_failed' })
  if (answer.word !== 'updated') throw notUpdated(run, { session, project: instance.project }, login, answer)
  await note(run, { commit_id: answer.commit })
  await begin(run, progress, 'after_activation')
  const steps = (await deps.projects.steps(instance.project_id, 'dev-deploy')).map((step) => ({
    ...step,
    required: step.required === 1,
  }))
  await runSteps(run, progress, { phase: 'after_activation', steps }, (step) =>
    runPrinting(session, place, step),
  )
  await storeSeed(deps.store.db, instance.id, answer.commit)
}

function notUpdated(
  { instance, row }: Run,
  checkout: CheckoutSession,
  login: SourceLogin,
  answer: Exclude<UpdatedCheckout, { readonly word: 'updated' }>,
): Error {
  switch (answer.word) {
    case 'fetch-failed':
      return unfetched(login, answer.gitReason)
    case 'dirty':
      return dirty(instance, answer)
    case 'branch':
    case 'diverged':
      return occupied(row.branch ?? '', answer.word, 'head' in answer ? answer.head : '')
    case 'branch-missing':
      return branchMissing(checkout, { branch: row.branch ?? '', login })
    case 'in-the-way':
    case 'locked':
      return blocked(instance, answer)
    case 'storage-full':
    case 'storage-read-only':
      return storageRefused(checkout, 'checkout', answer.word)
    case 'lfs-failed':
    case 'lfs-missing':
      return lfsRefused(checkout, answer.word)
    case 'git-missing':
      return gitMissing(checkout)
    case 'busy':
    case 'unsafe':
    case 'root-missing':
    case 'folder-missing':
    case 'foreign':
      return directoryProblem(checkout, answer.word)
    default:
      return fail('instance.source_failed', { details: { reason: answer.word } })
  }
}

/** Somebody works in the checkout: what with is told by the message, because a result has a code alone. */
function occupied(branch: string, word: 'branch' | 'diverged', head: string): Error {
  if (word === 'diverged')
    return fail('deployment.source_dirty', { message: divergedText(branch), details: { reason: word } })
  const found = head.replace(/^refs\/heads\//, '')
  const where = found === '' ? 'no branch' : `the branch \`${found}\``
  return fail('deployment.source_dirty', {
    message: `The checkout is on ${where}, and not on \`${branch}\`. In it, \`git switch ${quoteWord(branch)}\`; then deploy again.`,
    details: { reason: word },
  })
}

const divergedText = (branch: string): string =>
  `The branch \`${branch}\` of the checkout has commits that \`origin/${branch}\` lacks. Push them, or keep them under another name (\`git branch NAME\`) and leave this branch to the origin (\`git reset --keep ${quoteWord(`origin/${branch}`)}\`). Then deploy again.`

function dirty({ checkout_path: path, node }: Run['instance'], found: DirtyCheckout): Error {
  const { cleanliness, files, count } = found
  const checkout = `checkout ${path} on the Node ${node.name}`
  const more = count > files.length ? ` and ${count - files.length} more` : ''
  const named = files.length === 0 ? '' : `: ${files.map((file) => `\`${file}\``).join(', ')}${more}`
  const messages = {
    dirty: `The ${checkout} has uncommitted work${named}. Commit and push it, let Git ignore it, or remove it; then deploy again.`,
    unreadable: `Git cannot read all of the ${checkout}: \`git status\` says why there. Then deploy again.`,
  } as const satisfies Record<DirtyCheckout['cleanliness'], string>
  return fail('deployment.source_dirty', {
    message: messages[cleanliness],
    details: { node: identityOf(node), reason: 'dirty', cleanliness, files, count },
  })
}

const blocked = ({ checkout_path: checkoutPath, node }: Run['instance'], found: Blocked): Error =>
  fail(found.word === 'locked' ? 'instance.source_failed' : 'deployment.source_dirty', {
    message: blockedText(
      found,
      { checkoutPath, node: node.name },
      { what: 'The latest commit', again: 'deploy again' },
    ),
    details: { reason: found.word, path: found.path },
  })

function unfetched(login: SourceLogin, gitReason: GitReason | undefined): Error {
  requireHostKey(login, gitReason)
  return fail('instance.branch_resolution_failed', {
    message: unreadableMessage('on the Node', gitReason, login),
    details: { reason: 'fetch-failed', ...(gitReason === undefined ? {} : { git_reason: gitReason }) },
  })
}
