// remote.hpp: caches on memcached and Redis servers, shared by a fleet of processes: -lsdimage-memcached,
// -lsdimage-redis.
//
//   auto shared = plugins::redis_cache("redis://cache.example:6379/0");
//   auto both = cache::tiered(local, shared);
//
// Options are the SDIMAGE_REMOTE_ names of sdimage/plugins/remote.h.
#ifndef SDIMAGE_PLUGINS_REMOTE_HPP
#define SDIMAGE_PLUGINS_REMOTE_HPP

#include <sdimage/plugins/memcached.h>
#include <sdimage/plugins/redis.h>

#include "../cache.hpp"
#include "remote_enums.hpp"

namespace sdimage {
namespace plugins {

// A list of "host[:port]" separated by commas, or paths of sockets. Use the same list in every process.
inline cache memcached_cache(std::string_view servers, const options &how = nullptr) {
    return detail::make<cache>(sdimage_memcached_cache_new, detail::text(servers), how.get());
}
// "redis://[[user]:password@]host[:port][/database]", "host[:port]", or the path of a socket.
inline cache redis_cache(std::string_view address, const options &how = nullptr) {
    return detail::make<cache>(sdimage_redis_cache_new, detail::text(address), how.get());
}
// A counter since the creation of the cache; 0 for other caches.
inline std::uint64_t memcached_statistic(const cache &of, remote_statistic statistic) noexcept {
    return sdimage_memcached_cache_statistic(of.get(), detail::c(statistic));
}
inline std::uint64_t redis_statistic(const cache &of, remote_statistic statistic) noexcept {
    return sdimage_redis_cache_statistic(of.get(), detail::c(statistic));
}

} // namespace plugins
} // namespace sdimage

#endif
