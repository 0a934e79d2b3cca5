package io.tutti.hub;

/**
 * A file of a repository at the hub.
 *
 * @param path its place in the repository, as {@link RemotePaths} accepts it
 * @param size in bytes
 */
record RemoteFile(String path, long size, BlobId blob) {}
