# SPDX-License-Identifier: BSD-3-Clause
# An overlay port: the tarball of make dist is beside this file.  libpfm4 has no port: its headers are the system's.
set(tarball "${CURRENT_PORT_DIR}/libpmu-${VERSION}.tar.gz")
if(NOT EXISTS "${tarball}")
	message(FATAL_ERROR "${tarball} is missing: make dist makes it")
endif()
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${tarball}")
set(VCPKG_LIBRARY_LINKAGE dynamic)
vcpkg_configure_make(
	SOURCE_PATH "${SOURCE_PATH}"
	OPTIONS --without-libcpuid --without-valgrind-tool PYTHON=: FC=no
)
vcpkg_install_make()
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES pmu pmu-bench AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
