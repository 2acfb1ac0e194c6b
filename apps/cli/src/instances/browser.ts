import { spawn } from 'node:child_process'

/** Hands a page to the browser of the person; false where there is no program for that. */
export function openPage(url: string): Promise<boolean> {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open'
  // It may run as long as the browser: nobody waits for it, and nothing of it is printed.
  const child = spawn(program, [url], { stdio: 'ignore', detached: true })
  return new Promise((resolve) => {
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
