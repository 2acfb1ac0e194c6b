import { textFile } from '@fleet/shell'
import { checkoutScript, outcome } from './checkout-script.ts'

/**
 * Makes an empty repository with its ownership receipt at the checkout path, or finds the one this attempt made
 * (INS-053). The directory is built beside the path and renamed, so that whatever has the name is complete and proven.
 */
export const prepareCheckout = checkoutScript(textFile('prepare-checkout.sh', import.meta.url), [], {
  read: outcome([
    'prepared',
    'occupied',
    'root-missing',
    'folder-missing',
    'root-unusable',
    'unsafe',
    'git-missing',
    'storage-full',
    'storage-read-only',
    'failed',
  ]),
})
