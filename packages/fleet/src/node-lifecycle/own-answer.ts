/** Codes that say more than "this step failed": the time is over, or somebody else has the Node. */
export const OWN_ANSWER: readonly string[] = ['command.deadline_exceeded', 'node.lock_lost', 'http.draining']
