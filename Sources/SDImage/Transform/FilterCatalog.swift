/// The catalog of all filters.
/// The parts are in the order in which the C interface lists them.
package enum FilterCatalog {
    package static let filters: [Filter] = colorFilters + lookFilters + areaFilters

    /// Returns the filter with this name or alias.
    /// Names are compared exactly. Throws `invalidArgument` for an unknown one.
    package static func filter(_ name: String) throws(ImageError) -> Filter {
        guard let filter = filters.first(where: { $0.name == name || $0.aliases.contains(name) }) else {
            throw ImageError(.invalidArgument, name.isEmpty ? "filter: name is empty" : "filter: unknown name \(name)")
        }
        return filter
    }
}
