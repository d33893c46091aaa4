/** True for an address of this machine's loopback interface, IPv4 mapped into IPv6 included. */
export function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(?:::1|(?:::ffff:)?127(?:\.\d{1,3}){3})$/i.test(address)
}

/** True for a `Host` header, or a HOST to listen on, that can only mean this machine. */
export function isLoopbackHost(host: string | undefined): boolean {
  if (host === undefined) return false
  const url = `http://${host === "::1" ? "[::1]" : host}`
  if (!URL.canParse(url)) return false
  const { hostname } = new URL(url)
  return (
    hostname === "localhost" || hostname.endsWith(".localhost") || isLoopbackAddress(hostname.replace(/^\[|\]$/g, ""))
  )
}
