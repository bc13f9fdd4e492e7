/** Whether an IP address is a loopback address, such as 127.0.0.1. */
export function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1' || address.startsWith('::ffff:127.')
}

/** Whether a host of a URL or `Host` header is this machine. */
export function isLocalHost(host: string): boolean {
  const name = host
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()
  return name === '' || name === 'localhost' || name.endsWith('.localhost') || isLoopback(name)
}
